#!/bin/sh
# Installs a build tree into a staging folder and builds the consumer against it.
# usage: check.sh cmake|pkg-config CMAKE BUILD_FOLDER STAGE CXX
set -eu
way=$1 cmake=$2 build=$3 stage=$4 cxx=$5
consumer="$(dirname "$0")/consumer"

rm -rf "$stage"
mkdir -p "$stage"
"$cmake" --install "$build" --prefix "$stage/prefix" >"$stage/log" || { cat "$stage/log"; exit 1; }
# Moved, to show that nothing in it depends on where it was installed.
mv "$stage/prefix" "$stage/moved"
prefix="$stage/moved"

for file in include/weft/weft.hpp include/weft/rules.def include/weft/layers.def include/weft/dtype.def share/weft/digits.csv.gz; do
  [ -f "$prefix/$file" ] || { echo "install: $file is missing"; exit 1; }
done

if [ "$way" = cmake ]; then
  "$cmake" -G Ninja -S "$consumer" -B "$stage/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$cxx" >"$stage/log" 2>&1 ||
    { cat "$stage/log"; exit 1; }
  "$cmake" --build "$stage/build"
  "$stage/build/consumer"
else
  pc=$(find "$prefix" -name weft.pc)
  PKG_CONFIG_PATH=$(dirname "$pc")
  export PKG_CONFIG_PATH
  libdir=$(pkg-config --variable=libdir weft)
  # shellcheck disable=SC2046  # flags are words
  "$cxx" -std=c++20 "$consumer/main.cpp" -o "$stage/consumer" $(pkg-config --cflags --libs weft) "-Wl,-rpath,$libdir"
  "$stage/consumer"
  [ "$(pkg-config --modversion weft)" = "$(sed -n 's/.*VERSION "\(.*\)".*/\1/p' "$build/weftConfigVersion.cmake" | head -n 1)" ]
fi

# The installed command starts, so it has found its library.
if [ -x "$prefix/bin/weft" ]; then
  "$prefix/bin/weft" version
fi
