#!/bin/sh
# Looks at what the preset macos-cross built, without running it: every program and library is for arm64, signed, made
# for macOS 13, and asks for nothing but libSystem and weft's own libraries.
# usage: check.sh BUILD_FOLDER
set -eu
build=$1
objdump=$(command -v llvm-objdump-14 || command -v llvm-objdump) || {
  echo "macos: llvm-objdump is missing (Debian: llvm-14)"
  exit 1
}
failed=0
looked=0
wrong() {
  echo "macos: $1: $2"
  failed=1
}

for file in "$build"/bin/* "$build"/lib/*.dylib; do
  [ -f "$file" ] && [ ! -L "$file" ] || continue
  looked=$((looked + 1))
  kind=$(file -b "$file")
  case "$kind" in
    "Mach-O 64-bit arm64 executable"* | "Mach-O 64-bit arm64 dynamically linked shared library"* | "Mach-O 64-bit arm64 bundle"*) ;;
    *) wrong "$file" "it is $kind, wanted Mach-O 64-bit arm64"; continue ;;
  esac
  commands=$("$objdump" --macho --private-headers "$file")
  printf '%s\n' "$commands" | grep -q LC_CODE_SIGNATURE || wrong "$file" "it is not signed (no LC_CODE_SIGNATURE)"
  printf '%s\n' "$commands" | grep -A4 LC_BUILD_VERSION | grep -q 'minos 13.0' || wrong "$file" "it is not made for macOS 13.0"
  for library in $(printf '%s\n' "$commands" | sed -n '/cmd LC_LOAD_DYLIB/,/name/s/.* name \(.*\) (offset.*/\1/p'); do
    case "$library" in
      /usr/lib/libSystem.B.dylib | @rpath/libweft.*.dylib) ;;
      *) wrong "$file" "it loads $library, wanted libSystem and libweft only" ;;
    esac
  done
done

for wanted in bin/weft bin/weft_unit_tests lib/libweft.dylib lib/libweft_metal.dylib; do
  [ -e "$build/$wanted" ] || wrong "$build/$wanted" "it was not built"
done
[ "$failed" -eq 0 ] && echo "macos: $looked files, all arm64, signed, for macOS 13, with libSystem alone"
exit "$failed"
