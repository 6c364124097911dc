# One image for API, worker and commands; the command says which. docs/operating/configure.md has the variables that
# they need, and deploy/README.md tells how to pin the two base images by their digests.
ARG BASE=debian:trixie-slim
ARG BUILD_BASE=node:24.21.0-trixie-slim

# Everything that needs npm, Python or the network.
FROM ${BUILD_BASE} AS build
RUN apt-get update && apt-get install -y --no-install-recommends binutils python3-pip && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY . .
# This installs the engine's extensions too, by hash. The second command fails where the first could not.
RUN npm ci --omit=dev --no-audit --no-fund && node_modules/.bin/node local/extensions.ts
RUN node_modules/.bin/node local/console.ts && node_modules/.bin/node worker/bundle.ts
RUN sh deploy/image/prune.sh

# Its only Node is the one of package-lock.json.
FROM ${BASE}
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates libstdc++6 \
  && rm -rf /tmp/* /var/lib/apt/lists/* /var/cache/apt/*.bin /var/log/apt /var/log/dpkg.log \
  && groupadd --gid 1000 workspace && useradd --uid 1000 --gid 1000 --no-create-home --shell /usr/sbin/nologin workspace \
  && mkdir /work && chown workspace:workspace /work
WORKDIR /app
COPY --from=build /app /app
# The zone rules are what a process would otherwise start itself again for; docs/operating/scale.md has the memory's.
ENV NODE_ENV=production WORK_DIR=/work PATH=/app/node_modules/.bin:$PATH \
  ICU_TIMEZONE_FILES_DIR=/app/data/zone-rules \
  MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=1048576 MALLOC_TRIM_THRESHOLD_=16777216
# The files of the application belong to root: a process can write only /work and /tmp, and the root may be read-only.
USER 1000:1000
VOLUME /work
EXPOSE 8080 8081 9464
# The API answers on PORT, and gives metrics on METRICS_PORT. A worker does both on HEALTH_PORT.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "const ports = [process.env.PORT || 8080, process.env.HEALTH_PORT || 8081]; Promise.any(ports.map((port) => fetch(`http://127.0.0.1:${port}/healthz`))).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "api/main.ts"]
ARG BASE
ARG VERSION=0.1.0
ARG REVISION=
LABEL org.opencontainers.image.title="Analytics Workspace Service" \
  org.opencontainers.image.description="A self-hosted data-analysis workspace over HTTP: API, worker and commands." \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.base.name="${BASE}"
