import { z } from 'zod';
import { notFound, problems } from '../../data/errors.ts';
import { countFailing } from '../../data/processes/failing.ts';
import { readinessOf } from '../../data/readiness.ts';
import { release } from '../../data/release.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { problemPages } from './problem-pages.ts';

const readiness = z.object({
  status: z.enum(['ready', 'degraded', 'stopping']),
  dependencies: z.record(z.string(), z.enum(['up', 'down'])),
  failingProcesses: z
    .record(z.string(), z.int())
    .optional()
    .describe(
      "With `verbose`: how many workflows of each kind can't continue because their tasks fail. Their runs and the worker's log name them.",
    ),
  zoneRules: z
    .string()
    .optional()
    .describe(
      'With `verbose`: the release of the time zone database that schedules and SQL use. An operator can update it.',
    ),
});

/** Public: liveness, readiness and the pages to which problem types point. */
export function systemRoutes(app: Routes, deps: ApiDeps): void {
  app.get(
    '/healthz',
    {
      schema: {
        tags: ['System'],
        summary: 'Liveness',
        operationId: 'getLiveness',
        response: { 200: z.object({ status: z.literal('ok'), release: z.string() }) },
      },
      config: {
        tag: { name: 'System', description: 'Check the health of the service and look up problems.' },
        scope: 'public',
      },
    },
    async () => ({ status: 'ok' as const, release }),
  );

  app.get(
    '/readyz',
    {
      schema: {
        tags: ['System'],
        summary: 'Show the readiness of each dependency',
        operationId: 'getReadiness',
        description:
          "The response is 503 if this process can't serve requests: PostgreSQL is down (`postgres`), the database isn't migrated (`schema`), or no engine can start (`engine`). It is 503 with `stopping` while the process is about to stop; it still answers requests then. If Temporal or the object store is down, much still works: the response is 200 with `degraded`. `?verbose` also counts workflows that can't continue, and shows the release of the time zone rules.",
        querystring: z.object({ verbose: z.string().optional() }),
        response: { 200: readiness, 503: readiness },
      },
      config: { scope: 'public' },
    },
    async (request, reply) => {
      const { status, dependencies, isUsable } = await readinessOf(deps.probes);
      if (deps.isDraining?.()) return reply.code(503).send({ status: 'stopping', dependencies });
      const isVerbose = request.query.verbose !== undefined && isUsable;
      return reply.code(isUsable ? 200 : 503).send({
        status,
        dependencies,
        ...(isVerbose
          ? { failingProcesses: await countFailing(deps.db), zoneRules: process.versions.tz }
          : {}),
      });
    },
  );

  app.get(
    '/problems/:code',
    {
      schema: {
        tags: ['System'],
        summary: 'Explain a problem',
        params: z.object({ code: z.string() }),
        response: { 200: { description: 'A short page.', content: { 'text/html': { schema: z.string() } } } },
      },
      config: { scope: 'public' },
    },
    async (request, reply) => {
      const { code } = request.params;
      const advice = problemPages[code as keyof typeof problemPages];
      if (!Object.hasOwn(problems, code) || advice === undefined) throw notFound('The problem page');
      const [status, title] = problems[code as keyof typeof problems];
      return reply
        .type('text/html; charset=utf-8')
        .header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'")
        .serializer((body: unknown) => body as string)
        .send(
          `<!doctype html><html lang="en"><meta charset="utf-8"><title>${code}</title><style>body{font:16px/1.5 system-ui;max-width:40em;margin:3em auto;padding:0 1em}</style><h1>${title}</h1><p><code>${code}</code>, HTTP status ${status}.</p><p>${advice}</p></html>`,
        );
    },
  );
}
