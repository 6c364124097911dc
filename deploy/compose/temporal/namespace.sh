#!/bin/sh
# Creates the namespace of the service. Its processes keep their histories for a week after they have ended.
set -eu
tries=0
until temporal operator namespace describe --namespace default >/dev/null 2>&1 ||
  temporal operator namespace create --namespace default --retention 168h; do
  tries=$((tries + 1))
  [ "$tries" -lt 30 ] || exit 1
  sleep 2
done
