# Vodkeep on Node. The image holds the built server and console, and nothing else of the tree.
# docs/operate.md describes how to run it.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/install.mjs scripts/node-version.cjs scripts/replace-folder.mjs scripts/tools.mjs scripts/
RUN node scripts/install.mjs
COPY . .
RUN node scripts/build.mjs

FROM node:24-bookworm-slim
WORKDIR /app
COPY --from=build /app/dist ./dist
RUN install -d -m 0700 -o node -g node /data
USER node
ENV HOST=0.0.0.0 PORT=8787 DATA_DIR=/data \
    MALLOC_MMAP_THRESHOLD_=262144 MALLOC_ARENA_MAX=2
VOLUME /data
EXPOSE 8787
# Running archives are left where they are within six seconds, and resume at the next start.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=2", "dist/program/main.js", "start"]
