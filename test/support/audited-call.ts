import type pg from 'pg';
import type { Routes } from '../../api/deps.ts';
import type { Answer, Workspace } from './workspace.ts';

type Call = Workspace['call'];
interface KnownRoute {
  method: string;
  pattern: RegExp;
  /** As declared: `/v1/projects/:project_id`. */
  url: string;
}

/** The same for every service of this process. */
let routes: Promise<KnownRoute[]> | undefined;

/**
 * Calls, and expects every call that changed something, or was refused for a scope or a role, in the audit
 * under its action: so every test of a route tests its event too.
 */
export function auditedCall(app: Pick<Routes, 'auditActions'>, call: Call, pool: pg.Pool): Call {
  async function expectedEvent(method: string, url: string, answer: Answer): Promise<string | undefined> {
    const { status, headers } = answer;
    const isChange = status >= 200 && status < 300 && headers['idempotent-replayed'] === undefined;
    if (!isChange && status !== 403) return undefined;
    if (isChange && method === 'GET') return undefined;
    routes ??= routesOf(call);
    const { pathname } = new URL(url, 'http://localhost');
    const route = (await routes).find((one) => one.method === method && one.pattern.test(pathname));
    if (route === undefined) return undefined;
    const { done, refused } = app.auditActions.get(`${method} ${route.url}`)!;
    const action = isChange ? done : refused;
    return action && `${action} ${isChange ? 'done' : 'refused'}`;
  }

  return async (method, url, options = {}) => {
    const answer = await call(method, url, options);
    if (options.headers?.['authorization'] === undefined) return answer;
    const expected = await expectedEvent(method, url, answer);
    if (expected === undefined) return answer;
    const { rows } = await pool.query<{ event: string }>(
      "SELECT action || ' ' || outcome AS event FROM audit_events WHERE request_id = $1",
      [String(answer.headers['x-request-id'])],
    );
    if (rows.some(({ event }) => event === expected)) return answer;
    throw new Error(`${method} ${url}: ${expected} is not in the audit, but ${JSON.stringify(rows)}`);
  };
}

/** The routes of the document, those with the fewest parameters first. */
async function routesOf(call: Call): Promise<KnownRoute[]> {
  const { paths } = (await call('GET', '/openapi.json')).body as { paths: Record<string, object> };
  return Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({
        method: method.toUpperCase(),
        pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`),
        url: path.replace(/\{([^}]+)\}/g, ':$1'),
      })),
    )
    .sort((a, b) => a.url.split(':').length - b.url.split(':').length);
}
