// SPDX-License-Identifier: Apache-2.0
#include "CFuzzer.h"

/* Weak, so that the same sources build without the sanitizer's library: the tool then replays files only. */
extern int LLVMFuzzerRunDriver(int *, char ***, int (*)(const uint8_t *, size_t)) __attribute__((weak));

int cfuzzer_has_driver(void) { return LLVMFuzzerRunDriver != NULL; }

int cfuzzer_run(int argc, char **argv, int (*body)(const uint8_t *, size_t)) {
  if (LLVMFuzzerRunDriver == NULL) return -1;
  return LLVMFuzzerRunDriver(&argc, &argv, body);
}
