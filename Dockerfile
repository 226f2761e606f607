FROM node:26.10.0-slim AS manifest
WORKDIR /app
COPY package.json package-lock.json .npmrc ./

FROM manifest AS build
RUN npm ci
COPY tsconfig.json tsconfig.build.json vite.config.ts ./
COPY schema schema
COPY scripts scripts
COPY src src
RUN npm run build

FROM manifest AS dependencies
RUN npm ci --omit=dev

# Files belong to root and nothing writes to them, so the image runs with a read-only root file system.
FROM node:26.10.0-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 METRICS_PORT=9464
COPY package.json ./
COPY --from=dependencies /app/node_modules node_modules
COPY schema schema
COPY --from=build /app/dist dist
# The user "node" of the base image. Kubernetes can verify runAsNonRoot only for a numeric user.
USER 1000:1000
EXPOSE 4000 9464
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# V8: let the heap double between collections; mark in the main thread because a replica has one core; optimize hot functions sooner.
# The heap limit in MiB goes with MAX_BYTES_IN_FLIGHT and a memory limit of 512 MiB (docs/configuration.md).
CMD ["node", "--max-old-space-size=320", "--heap-growing-percent=100", "--no-concurrent-marking", "--invocation-count-for-turbofan=1000", "dist/main.js"]
