import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** An organization's own client, as anyone with its credentials could write one. */
export interface Session {
  apiUrl: string;
  headers: Readonly<Record<string, string>>;
  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: Answer }>;
  /** Sends bytes verbatim; returns the status, or 0 if the connection ended without an answer. */
  send(method: string, path: string, bytes: Buffer | string): Promise<number>;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape.
type Answer = any;

export interface Credentials {
  apiUrl: string;
  clientId: string;
  clientSecret: string;
}

export async function openSession({ apiUrl, clientId, clientSecret }: Credentials): Promise<Session> {
  const response = await fetch(`${apiUrl}/v1/auth/m2m/token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: clientId, client_secret: clientSecret }),
  });
  const { access_token: token } = (await response.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return {
    apiUrl,
    headers,
    async call(method, path, body) {
      const answer = await fetch(`${apiUrl}${path}`, {
        method,
        headers: body === undefined ? { authorization: headers.authorization } : headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
    },
    send: (method, path, bytes) =>
      new Promise((resolve) => {
        const outgoing = request(`${apiUrl}${path}`, { method, headers, timeout: 150_000 }, (incoming) => {
          incoming.resume();
          incoming.on('close', () => resolve(incoming.statusCode ?? 0));
        });
        outgoing.on('error', () => resolve(0));
        outgoing.on('timeout', () => outgoing.destroy());
        outgoing.end(bytes);
      }),
  };
}

/** Uploads a file to the project, as large files are. */
export async function uploadFile(session: Session, path: string, bytes: Buffer): Promise<FilePlace> {
  const project = (await session.call('POST', '/v1/projects', { name: path })).body.data.id as string;
  const form = (await session.call('POST', `/v1/projects/${project}/files/uploads`)).body.data;
  const body = new FormData();
  for (const [name, value] of Object.entries(form.fields)) body.append(name, String(value));
  body.append('file', new Blob([new Uint8Array(bytes)]));
  await fetch(form.url, { method: 'POST', body });
  const finalized = await session.call(
    'POST',
    `/v1/projects/${project}/files/uploads/${form.upload_id}/finalize`,
    { path },
  );
  return { project, file: finalized.body.data.id as string };
}

export interface FilePlace {
  project: string;
  file: string;
}

let tables = 0;

export async function newTable(session: Session, columns: object[]): Promise<string> {
  tables += 1;
  const name = `t_${process.pid}_${Date.now()}_${tables}`;
  const made = await session.call('POST', '/v1/grid/tables', { name, kind: 'data', columns });
  if (made.status !== 201) throw new Error(`A table could not be made: ${JSON.stringify(made.body)}`);
  return made.body.data.tableId as string;
}

export async function importFile(session: Session, place: FilePlace, name: string): Promise<string> {
  const started = await session.call('POST', `/v1/projects/${place.project}/files/${place.file}/imports`, {
    table_name: name,
  });
  return String(started.body?.data?.id ?? started.status);
}

export async function importEnd(session: Session, id: string): Promise<string> {
  for (;;) {
    const { body } = await session.call('GET', `/v1/table-imports/${id}`);
    if (!['queued', 'running'].includes(body.data.status)) return body.data.status as string;
    await delay(200);
  }
}
