# API and worker in one image; the command says which. What they need of the environment: docs/operating/configure.md.

# Everything that needs npm, Python or the network.
FROM node:24.21.0-bookworm-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends python3-pip && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY . .
# Installs the engine's extensions too, by hash; the second command fails where the first could not.
RUN npm ci --omit=dev --no-audit --no-fund && node_modules/.bin/node local/extensions.ts
RUN node_modules/.bin/node local/console.ts && node_modules/.bin/node worker/bundle.ts
# Of other systems' processors and C libraries, and what only builds need.
RUN rm -rf console/src test bench .ci

# One Node: the one of package-lock.json.
FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates libstdc++6 && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 1000 --no-create-home workspace && mkdir /work && chown workspace /work
WORKDIR /app
COPY --from=build /app /app
ENV NODE_ENV=production WORK_DIR=/work PATH=/app/node_modules/.bin:$PATH
USER 1000
VOLUME /work
EXPOSE 8080 8081
# The API answers on PORT, a worker on HEALTH_PORT.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "const ports = [process.env.PORT || 8080, process.env.HEALTH_PORT || 8081]; Promise.any(ports.map((port) => fetch(`http://127.0.0.1:${port}/healthz`))).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "api/main.ts"]
