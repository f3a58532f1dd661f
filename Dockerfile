# The store in a container, from its packed package. The Node is that of the image, so npm runs no scripts.
FROM node:24-slim AS packages
WORKDIR /svc
COPY . .
RUN npm ci --ignore-scripts
RUN npx vite build apps/web && npx vite build apps/desktop/page && node scripts/build.ts
# The tarball, and a package.json that holds its dependencies to the versions of the lock file.
RUN node tools/release/pin-store.ts /image

FROM node:24-slim
ENV NODE_ENV=production SVC_DATA_DIR=/data
WORKDIR /svc
COPY --from=packages /image ./
RUN npm install --ignore-scripts --no-audit --no-fund && npm cache clean --force && rm svc-store-*.tgz
# Named volumes take over who owns the folder they are mounted on. Node keeps there what it has compiled.
RUN mkdir -p /svc/node_modules/@svc/store/node_modules/.cache && mkdir -m 700 /data /keys \
  && chown node:node /data /keys /svc/node_modules/@svc/store/node_modules/.cache
USER node
# Compiles what the store is made of, once: a container may be read-only, and starts in half of the time with it.
RUN SVC_DATA_DIR=/tmp/first node node_modules/@svc/store/bin/svc-store.js prepare && rm -r /tmp/first
EXPOSE 8787
# Node itself, not npm, which would not hand SIGTERM on. What follows the image's name is a command of svc-store.
ENTRYPOINT ["node", "node_modules/@svc/store/bin/svc-store.js"]
