// SPDX-License-Identifier: Apache-2.0
#ifndef CVOLUME_H
#define CVOLUME_H

#include <stddef.h>
#include <stdint.h>

/*
 * What a volume that is cut off needs of the system and Swift cannot call. Every function gives 0 or an error number;
 * where the system has no such thing, ENOSYS.
 */

/* From here on this thread, and those it begins, mount for themselves: when the process ends, however it ends, the
   mounts are gone. */
int cvolume_own_mounts(void);

/* Attaches a new, unlinked file of `size` bytes in `folder` to a free loop device. `device` gets its path, `descriptor`
   what keeps it attached: when it is closed and nothing is mounted, device and file are gone. */
int cvolume_attach(const char *folder, uint64_t size, char *device, size_t room, int *descriptor);

int cvolume_mount(const char *device, const char *folder, const char *kind);
int cvolume_unmount(const char *folder);

/* Drops what the system remembers of an attached device that is not mounted. Else the next mount would see blocks that
   never reached the device. */
int cvolume_forget(int descriptor);

/* Cuts the file system of an open file off its device at once, without writing its log: as a power cut. */
int cvolume_shut_down(int descriptor);

/* Writes everything of the file system of an open file. */
int cvolume_write_all(int descriptor);

/* Has some bytes of a file written, not its size nor its name; waits for them or not. */
int cvolume_write_range(const char *path, int64_t offset, int64_t length, int waits);

int cvolume_open_folder(const char *path, int *descriptor);

#endif
