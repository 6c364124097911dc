import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyReply } from 'fastify';
import type { ObjectStoreSettings } from '../../data/objects/settings.ts';
import type { Routes } from '../deps.ts';
import { html } from '../pages/html.ts';
import { sendPage } from '../pages/layout.ts';

/** Where `npm start` builds it to. */
const consoleDir = fileURLToPath(new URL('../../console/dist', import.meta.url));

type Storage = Pick<ObjectStoreSettings, 'endpoint' | 'bucket' | 'region'>;

/** Files of this site alone, which asks nobody else but the storage that takes uploads. */
const policyOf = (storage: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data: blob:",
    `connect-src 'self' ${storage}`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
const yearSeconds = 365 * 86_400;

/**
 * The console: the files that Vite built, and the same first page for every address in it. It is looked for
 * at each request, because it may be built while the service runs.
 */
export function consoleRoutes(
  app: Routes,
  { storage, folder = consoleDir }: { storage: Storage; folder?: string },
): void {
  const policy = policyOf(originOf(storage));
  const open = { config: { scope: 'public' }, schema: { hide: true } } as const;

  app.register(async (routes) => {
    await routes.register(fastifyStatic, {
      root: folder,
      serve: false,
      preCompressed: true,
      cacheControl: false,
    });

    routes.get('/', open, async (_request, reply) => reply.redirect('/console/', 302));
    routes.get('/console', open, async (_request, reply) => reply.redirect('/console/', 302));
    routes.get<{ Params: { '*': string } }>('/console/*', open, async (request, reply) => {
      const path = request.params['*'];
      reply.headers({ 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' });
      // A name has the hash of what it holds.
      if (path.startsWith('assets/'))
        return reply.header('Cache-Control', `public, max-age=${yearSeconds}, immutable`).sendFile(path);
      if (!existsSync(join(folder, 'index.html'))) return sendUnbuilt(reply);
      return reply
        .headers({
          'Content-Security-Policy': policy,
          'Cross-Origin-Opener-Policy': 'same-origin',
          'X-Frame-Options': 'DENY',
          'Cache-Control': 'no-cache',
        })
        .sendFile('index.html');
    });
  });
}

/** Where forms of uploads are sent to. */
const originOf = ({ endpoint, bucket, region }: Storage): string =>
  endpoint === undefined ? `https://${bucket}.s3.${region}.amazonaws.com` : new URL(endpoint).origin;

const sendUnbuilt = (reply: FastifyReply): FastifyReply =>
  sendPage(reply, {
    title: "The console isn't built",
    body: html`<p><code>npm start</code> builds it, and <code>npm run build:console</code> does so alone. Load this page
again when it is done. Everything else of the service works without it: <a href="/docs">its interface</a>.</p>`,
    status: 503,
  });
