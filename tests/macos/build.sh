#!/bin/sh
# The whole of ./dev macos, into a folder of its own. Skipped (77) where zig's compiler cannot be had.
set -eu
zig=$(sed -n 's/^set(WEFT_ZIG_VERSION \([^)]*\)).*/\1/p' cmake/zig-macos.toolchain.cmake | cut -d' ' -f1)
if [ ! -e "build/zig-$zig/c++" ] && ! python3 -m pip download --quiet --no-deps -d build/zig-wheel "ziglang==$zig"; then
  echo "macos-cross: ziglang $zig is neither in build/ nor to be had from PyPI: not built"
  exit 77
fi
rm -rf build/zig-wheel
out=$(mktemp -d "${TMPDIR:-/tmp}/weft-macos.XXXXXX")
trap 'rm -rf "$out"' EXIT
./dev macos "$out"
for member in bin/weft lib/libweft.dylib lib/libweft_metal.dylib include/weft/weft.hpp share/weft/digits.csv; do
  tar -tzf "$out"/weft-*-macos-arm64.tar.gz | grep -q "^weft-[^/]*/$member\$" || { echo "macos-cross: the archive lacks $member"; exit 1; }
done
