// SPDX-License-Identifier: Apache-2.0
package func placeholderPageExplorer() {}
