# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Read by the other scripts, not run: finds Swift, installs what a build needs and is missing, names the build flags.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export root

command -v swift >/dev/null || PATH=/opt/swift/usr/bin:$PATH
export PATH
if ! command -v swift >/dev/null; then
  echo "swift was not found: install Swift 6.2 or later (https://www.swift.org/install) and put it on PATH" >&2
  exit 69
fi

# One set of flags for the command line and for the tests, so that neither throws away what the other has built.
# Tests run optimised: the ones that sweep over every damage take thirty times as long otherwise.
# shellcheck disable=SC2034
build_flags=(-c release -Xswiftc -enable-testing)

has_zlib_header() { printf '#include <zlib.h>\n' | clang -fsyntax-only -x c - 2>/dev/null; }
has_libxml2() { [ "$(uname)" != Linux ] || ldconfig -p 2>/dev/null | grep 'libxml2\.so\.2 ' >/dev/null; }
has_strip() { command -v strip >/dev/null; }

# FoundationXML, which some tests read their own output with, loads libxml2; the size test needs strip.
missing=()
has_zlib_header || missing+=(zlib1g-dev)
has_libxml2 || missing+=(libxml2)
has_strip || missing+=(binutils)
if [ ${#missing[@]} -gt 0 ]; then
  if ! command -v apt-get >/dev/null; then
    echo "missing: ${missing[*]} (Debian's names); install them with this system's package manager" >&2
    exit 69
  fi
  as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo)
  echo "installing ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -q </dev/null >&2
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -yq --no-install-recommends \
    "${missing[@]}" </dev/null >&2
fi
