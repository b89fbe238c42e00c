# Vodkeep on Node. The image holds the npm package, and nothing else of the tree.
# docs/operate.md describes how to run it.
FROM node:24-bookworm-slim@sha256:235600a8101ab264e117b1768e925532262668dc9b581ef1dd7d96ced463b8e7 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/cpu-time.mjs scripts/install.mjs scripts/node-version.cjs scripts/replace-folder.mjs scripts/tools.mjs scripts/
RUN node scripts/install.mjs
COPY . .
# Without .git, the build does not know it: --build-arg COMMIT=$(git rev-parse --short=12 HEAD).
ARG COMMIT
RUN node scripts/package.mjs

FROM node:24-bookworm-slim@sha256:235600a8101ab264e117b1768e925532262668dc9b581ef1dd7d96ced463b8e7
COPY --from=build /app/dist/package/*.tgz /tmp/vodkeep.tgz
RUN npm install --global --offline /tmp/vodkeep.tgz && rm -rf /tmp/vodkeep.tgz ~/.npm
RUN install -d -m 0700 -o node -g node /data /backup
USER node
ENV HOST=0.0.0.0 PORT=8787 DATA_DIR=/data
VOLUME /data /backup
EXPOSE 8787
# Running archives are left where they are within six seconds, and resume at the next start.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "const { HOST, PORT, TLS, TLS_CERT } = process.env; const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[HOST] ?? HOST; require(TLS || TLS_CERT ? 'https' : 'http').get({ host, port: PORT, path: '/healthz', rejectUnauthorized: false }, (r) => process.exit(r.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["vodkeep"]
CMD ["start"]
