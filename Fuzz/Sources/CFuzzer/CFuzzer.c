/* SPDX-License-Identifier: Apache-2.0 */
#include "CFuzzer.h"
#include <stddef.h>
#include <stdint.h>
extern int LLVMFuzzerRunDriver(int *, char ***, int (*)(const uint8_t *, size_t)) __attribute__((weak));
int crashfuzz_has_driver(void) { return LLVMFuzzerRunDriver != NULL; }
