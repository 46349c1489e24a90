#!/bin/sh
# Runs a command where there is a Metal device. Elsewhere it is skipped (77), or fails where REQUIRE_METAL=1 is set.
# usage: on_device.sh WEFT COMMAND...
set -eu
weft=$1
shift
if ! found=$("$weft" devices | grep '^metal  *available'); then
  echo "no Metal device: $("$weft" devices | grep '^metal')"
  [ "${REQUIRE_METAL:-}" = 1 ] && exit 1
  exit 77
fi
echo "$found"
exec "$@"
