// SPDX-License-Identifier: Apache-2.0
import CFuzzer
import FuzzEntries
placeholderFuzzEntries()
print(crashfuzz_has_driver())
