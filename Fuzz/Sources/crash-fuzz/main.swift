// SPDX-License-Identifier: Apache-2.0

import Foundation

exit(Tool.run(Array(CommandLine.arguments.dropFirst())))
