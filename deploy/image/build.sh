#!/bin/sh
# Builds the image by the Dockerfile on a machine without Docker, as root with buildah. Run it anywhere; it needs no
# arguments. These variables change what it does:
#   TAG                the image's name; analytics-workspace with the version of package.json
#   BASE, BUILD_BASE   the base images of the Dockerfile, such as debian:trixie-slim@sha256:…
#   DEBIAN_MIRROR      a mirror of Debian, from which debootstrap then makes both base images, for machines that reach
#                      no registry of images
#   STORAGE_DRIVER     of buildah; vfs works everywhere
#   BUILDAH_OPTIONS    further options of `buildah bud`, such as --volume for your own certificates
set -eu
cd "$(dirname "$0")/../.."
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
revision=$(git rev-parse HEAD 2>/dev/null || true)
tag=${TAG:-analytics-workspace:$version}
# A chroot works inside of other containers too.
isolation=${ISOLATION:-chroot}

if [ -n "${DEBIAN_MIRROR:-}" ]; then
  BASE=localhost/debian:trixie-slim
  BUILD_BASE=localhost/debian:trixie-npm
  # As slim as Debian's own slim image.
  folder=$(mktemp -d)
  debootstrap --variant=minbase trixie "$folder" "$DEBIAN_MIRROR"
  rm -rf "$folder"/var/lib/apt/lists/* "$folder"/var/cache/apt/* "$folder"/var/log/*.log "$folder"/usr/share/man \
    "$folder"/usr/share/info "$folder"/usr/share/locale
  find "$folder/usr/share/doc" -type f ! -name copyright -delete
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$folder" /
  buildah commit --quiet --rm "$container" "$BASE"
  rm -rf "$folder"
  # Any Node from 20 on with npm builds: the Node that runs is the one of package-lock.json.
  container=$(buildah from "$BASE")
  buildah run --isolation "$isolation" "$container" sh -c \
    'apt-get update && apt-get install -y --no-install-recommends npm && rm -rf /var/lib/apt/lists/*'
  buildah commit --quiet --rm "$container" "$BUILD_BASE"
fi

# The health check is only in Docker's form of an image.
# shellcheck disable=SC2086 # The options are words.
buildah bud --format docker --isolation "$isolation" --layers=false \
  ${BASE:+--build-arg BASE="$BASE"} ${BUILD_BASE:+--build-arg BUILD_BASE="$BUILD_BASE"} \
  --build-arg VERSION="$version" --build-arg REVISION="$revision" ${BUILDAH_OPTIONS:-} --tag "$tag" .
buildah images "$tag"
