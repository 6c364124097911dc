# API and worker in one image; the command says which. What they need of the environment: docs/operating.md.
FROM node:24.21.0-bookworm-slim
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --no-audit --no-fund
COPY . .
RUN node local/console.ts && node worker/bundle.ts
ENV NODE_ENV=production
USER node
EXPOSE 8080
CMD ["npm", "run", "--silent", "start:api"]
