import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';

/** The running local stack, as described by `npm start`; `WORKSPACE_DATA_DIR` selects another one. */
export interface LocalStack {
  apiUrl: string;
  databaseUrl: string;
  temporalAddress: string;
  pids: { api: number; worker: number };
  clientId: string;
  clientSecret: string;
  environment: Record<string, string>;
}

export function readStack(): LocalStack {
  const folder = process.env['WORKSPACE_DATA_DIR'] ?? '.data';
  return JSON.parse(readFileSync(join(folder, 'local.json'), 'utf8')) as LocalStack;
}

export interface HttpAnswer {
  status: number;
  text: string;
}

/**
 * Keep-alive connections and as little client work as possible: the client shares the machine with the
 * server.
 */
export function createHttpClient(baseUrl: string, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return (
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string | Buffer,
  ): Promise<HttpAnswer> =>
    new Promise((resolve, reject) => {
      const outgoing = request(`${baseUrl}${path}`, { method, agent, headers }, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        );
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
}

/**
 * An API client for benchmarks: gets a token, sends and reads JSON, and throws for any answer that is not
 * 2xx. `ALSO_API_URL` is another API process of the same service (see `one-more.ts`): they take turns.
 */
export async function openApi(stack: LocalStack, connections = 64) {
  const also = process.env['ALSO_API_URL'];
  const clients = [stack.apiUrl, ...(also === undefined ? [] : [also])].map((url) =>
    createHttpClient(url, connections),
  );
  let sent = 0;
  const send: (typeof clients)[number] = (...request) => clients[sent++ % clients.length]!(...request);
  const form = new URLSearchParams({
    client_id: stack.clientId,
    client_secret: stack.clientSecret,
  }).toString();
  const answer = await send(
    'POST',
    '/v1/auth/m2m/token',
    { 'content-type': 'application/x-www-form-urlencoded' },
    form,
  );
  const authorization = `Bearer ${(JSON.parse(answer.text) as { access_token: string }).access_token}`;
  const call = async (
    method: string,
    path: string,
    body?: string | Buffer,
    contentType = 'application/json',
  ): Promise<string> => {
    const headers: Record<string, string> = {
      authorization,
      ...(body === undefined ? {} : { 'content-type': contentType }),
    };
    const { status, text } = await send(method, path, headers, body);
    if (status < 200 || status > 299) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 500)}`);
    return text;
  };
  return {
    authorization,
    call,
    json: async <T>(method: string, path: string, body?: unknown) =>
      JSON.parse(await call(method, path, body === undefined ? undefined : JSON.stringify(body))) as T,
  };
}

/** Uploads a local file to a project; its id. */
export async function uploadFile(
  api: Awaited<ReturnType<typeof openApi>>,
  projectId: string,
  { file, path }: { file: string; path: string },
): Promise<string> {
  const files = `/v1/projects/${projectId}/files`;
  const { data } = await api.json<{
    data: { upload_id: string; url: string; fields: Record<string, string> };
  }>('POST', `${files}/uploads`);
  const form = new FormData();
  for (const [key, value] of Object.entries(data.fields)) form.append(key, value);
  form.append('file', new Blob([await readFile(file)]));
  const sent = await fetch(data.url, { method: 'POST', body: form });
  if (!sent.ok) throw new Error(`upload: ${sent.status}`);
  const finalize = `${files}/uploads/${data.upload_id}/finalize`;
  return (await api.json<{ data: { id: string } }>('POST', finalize, { path })).data.id;
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}
