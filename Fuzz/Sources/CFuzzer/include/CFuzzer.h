// SPDX-License-Identifier: Apache-2.0
#ifndef CFUZZER_H
#define CFUZZER_H
#include <stddef.h>
#include <stdint.h>

/* Whether libFuzzer is linked: it is in builds with -sanitize=fuzzer. */
int cfuzzer_has_driver(void);

/* Runs libFuzzer on its arguments, the first of which is the program; its result is the exit code. -1 without it. */
int cfuzzer_run(int argc, char **argv, int (*body)(const uint8_t *, size_t));
#endif
