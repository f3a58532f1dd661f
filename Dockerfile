# The store in a container. Its own Node is that of the image, so npm runs no scripts.
FROM node:24-slim AS sources
WORKDIR /svc
COPY . .

FROM sources AS pages
RUN npm ci --ignore-scripts && npx vite build apps/web

FROM sources AS libraries
RUN npm ci --ignore-scripts --omit=dev --workspace @svc/store --include-workspace-root=false

FROM node:24-slim
ENV NODE_ENV=production SVC_DATA_DIR=/data
WORKDIR /svc
COPY --from=libraries /svc/node_modules node_modules
COPY package.json LICENSE NOTICE.md ./
COPY packages packages
COPY apps/store apps/store
COPY docs docs
COPY --from=pages /svc/apps/web/dist apps/web/dist
# Named volumes take over who owns the folder they are mounted on.
RUN mkdir -m 700 /data /keys && chown node:node /data /keys
USER node
EXPOSE 8787
# Node itself, not npm, which would not hand SIGTERM on. What follows the image's name is a command of svc-store.
ENTRYPOINT ["node", "apps/store/src/main.ts"]
