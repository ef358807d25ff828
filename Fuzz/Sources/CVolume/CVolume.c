// SPDX-License-Identifier: Apache-2.0
#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "CVolume.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int cvolume_open_folder(const char *path, int *descriptor) {
  *descriptor = open(path, O_RDONLY | O_CLOEXEC);
  return *descriptor < 0 ? errno : 0;
}

#ifdef __linux__

#include <linux/loop.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mount.h>

/* linux/fs.h has it since 6.11 only, and does not go together with sys/mount.h everywhere. */
#define CVOLUME_SHUTDOWN _IOR('X', 125, uint32_t)
#define CVOLUME_NO_LOG_FLUSH 2
#define CVOLUME_DROP_BUFFERS _IO(0x12, 97)

int cvolume_own_mounts(void) {
  if (unshare(CLONE_NEWNS) != 0) return errno;
  return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 ? 0 : errno;
}

static int configure(int control, int backing, char *device, size_t room, int *descriptor) {
  /* Somebody else may take the free device first. */
  for (int attempt = 0; attempt < 16; attempt++) {
    int number = ioctl(control, LOOP_CTL_GET_FREE);
    if (number < 0) return errno;
    snprintf(device, room, "/dev/loop%d", number);
    int loop = open(device, O_RDWR | O_CLOEXEC);
    if (loop < 0) return errno;
    struct loop_config config = {.fd = (uint32_t)backing, .info.lo_flags = LO_FLAGS_AUTOCLEAR};
    if (ioctl(loop, LOOP_CONFIGURE, &config) == 0) {
      *descriptor = loop;
      return 0;
    }
    int failure = errno;
    close(loop);
    if (failure != EBUSY) return failure;
  }
  return EBUSY;
}

int cvolume_attach(const char *folder, uint64_t size, char *device, size_t room, int *descriptor) {
  char path[4096];
  int length = snprintf(path, sizeof path, "%s/volume-%d", folder, (int)getpid());
  if (length < 0 || (size_t)length >= sizeof path) return ENAMETOOLONG;
  int backing = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (backing < 0) return errno;
  unlink(path);
  int failure = ftruncate(backing, (off_t)size) == 0 ? 0 : errno;
  if (failure == 0) {
    int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
    failure = control < 0 ? errno : configure(control, backing, device, room, descriptor);
    if (control >= 0) close(control);
  }
  close(backing);
  return failure;
}

int cvolume_mount(const char *device, const char *folder, const char *kind) {
  return mount(device, folder, kind, MS_NOATIME, NULL) == 0 ? 0 : errno;
}

int cvolume_unmount(const char *folder) { return umount2(folder, UMOUNT_NOFOLLOW) == 0 ? 0 : errno; }

int cvolume_forget(int descriptor) {
  return ioctl(descriptor, CVOLUME_DROP_BUFFERS, 0) == 0 ? 0 : errno;
}

int cvolume_shut_down(int descriptor) {
  uint32_t flags = CVOLUME_NO_LOG_FLUSH;
  return ioctl(descriptor, CVOLUME_SHUTDOWN, &flags) == 0 ? 0 : errno;
}

int cvolume_write_all(int descriptor) { return syncfs(descriptor) == 0 ? 0 : errno; }

int cvolume_write_range(const char *path, int64_t offset, int64_t length, int waits) {
  int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return errno;
  unsigned flags = SYNC_FILE_RANGE_WRITE | (waits ? SYNC_FILE_RANGE_WAIT_AFTER : 0);
  int failure = sync_file_range(file, offset, length, flags) == 0 ? 0 : errno;
  close(file);
  return failure;
}

#else

int cvolume_own_mounts(void) { return ENOSYS; }
int cvolume_attach(const char *folder, uint64_t size, char *device, size_t room, int *descriptor) {
  (void)folder, (void)size, (void)device, (void)room, (void)descriptor;
  return ENOSYS;
}
int cvolume_mount(const char *device, const char *folder, const char *kind) {
  (void)device, (void)folder, (void)kind;
  return ENOSYS;
}
int cvolume_unmount(const char *folder) { return (void)folder, ENOSYS; }
int cvolume_forget(int descriptor) { return (void)descriptor, ENOSYS; }
int cvolume_shut_down(int descriptor) { return (void)descriptor, ENOSYS; }
int cvolume_write_all(int descriptor) { return (void)descriptor, ENOSYS; }
int cvolume_write_range(const char *path, int64_t offset, int64_t length, int waits) {
  (void)path, (void)offset, (void)length, (void)waits;
  return ENOSYS;
}

#endif
