/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CFUZZER_H
#define CFUZZER_H
int crashfuzz_has_driver(void);
#endif
