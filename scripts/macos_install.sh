#!/bin/sh
# Builds weft with its Metal backend on a Mac and installs it: the command, the libraries, headers and data.
set -eu
cd "$(dirname "$0")/.."

usage() {
  cat <<'END'
usage: scripts/macos_install.sh [PREFIX]

Builds a release of weft and installs it below PREFIX (default: $HOME/.local).
Needs Apple silicon, macOS 13 or newer, the command line tools (xcode-select --install) and Homebrew's
cmake, ninja, fmt, nlohmann-json and cli11, which it offers to install.
END
}

say() { printf '%s\n' "$*" >&2; }

case "${1:-}" in
  -h | --help) usage; exit 0 ;;
  -*) say "macos_install: there is no option '$1'"; usage >&2; exit 2 ;;
esac
prefix=${1:-$HOME/.local}

if [ "$(uname -s)" != Darwin ] || [ "$(uname -m)" != arm64 ]; then
  say "macos_install: this is $(uname -s) on $(uname -m), wanted Darwin on arm64 (Apple silicon)"
  exit 1
fi
if ! xcode-select -p >/dev/null 2>&1; then
  say "macos_install: Apple's compiler is missing. Please run: xcode-select --install"
  exit 1
fi

missing=""
for formula in cmake ninja fmt nlohmann-json cli11; do
  brew list --formula "$formula" >/dev/null 2>&1 || missing="$missing $formula"
done
if [ -n "$missing" ]; then
  if ! command -v brew >/dev/null; then
    say "macos_install: Homebrew (https://brew.sh) is missing; it brings:$missing"
    exit 1
  fi
  say "macos_install: brew install$missing"
  # shellcheck disable=SC2086  # a list of words
  brew install $missing
fi

cmake -S . -B build/macos -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" \
  -DCMAKE_PREFIX_PATH="$(brew --prefix)" -DWEFT_METAL=ON -DWEFT_BUILD_TESTS=OFF -DWEFT_BUILD_EXAMPLES=OFF
cmake --build build/macos
cmake --install build/macos >/dev/null

"$prefix/bin/weft" devices
"$prefix/bin/weft" demo --device metal
say "macos_install: installed below $prefix; put $prefix/bin into your PATH"
