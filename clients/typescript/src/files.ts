import type { Workspace } from './client.ts';
import { ConnectionError } from './errors.ts';
import { backoffMs, pause } from './pause.ts';
import type { components } from './schema.gen.ts';

export type WorkspaceFile = components['schemas']['File'];

export interface Upload {
  projectId: string;
  /** The path that the file gets in its project, such as `2026/orders.csv`. */
  path: string;
  /** Of any size: a `File` of a browser, or `fs.openAsBlob(path)` in Node. */
  content: Blob;
  contentType?: string;
  /** Bytes that have left, and all of them. Counted as they leave where the platform tells, else at the end. */
  onProgress?: (sent: number, total: number) => void;
  signal?: AbortSignal;
}

const attempts = 5;

/** Uploads a file straight to the storage, and registers it; a broken connection begins again. */
export async function uploadFile(workspace: Workspace, upload: Upload): Promise<WorkspaceFile> {
  const { projectId: project_id, path, contentType, signal } = upload;
  const { data: form } = await workspace.post('/v1/projects/{project_id}/files/uploads', {
    params: { path: { project_id } },
    signal,
  });
  for (let attempt = 1; ; attempt += 1) {
    try {
      await sendForm(form, upload);
      break;
    } catch (error) {
      signal?.throwIfAborted();
      if (attempt === attempts || error instanceof Refused) throw error;
      await pause(backoffMs(attempt), signal);
    }
  }
  const { data } = await workspace.post('/v1/projects/{project_id}/files/uploads/{upload_id}/finalize', {
    params: { path: { project_id, upload_id: form.upload_id } },
    body: { path, content_type: contentType },
    signal,
  });
  return data;
}

/** The storage refused the upload: it is too large, or the form has expired. */
class Refused extends Error {
  override readonly name = 'UploadRefused';
}

async function sendForm(form: components['schemas']['UploadForm'], upload: Upload): Promise<void> {
  const { content, onProgress, signal } = upload;
  // Node 24 leaves a rejection unhandled where a form is sent with a signal that is aborted already.
  signal?.throwIfAborted();
  if (content.size > form.max_bytes)
    throw new Refused(`The file has ${content.size} bytes. The limit is ${form.max_bytes}.`);
  const body = new FormData();
  for (const [name, value] of Object.entries(form.fields)) body.append(name, value);
  const Xhr = onProgress === undefined ? undefined : (globalThis as Browser).XMLHttpRequest;
  body.append(
    'file',
    onProgress === undefined || Xhr !== undefined ? content : new CountedFile(content, onProgress),
  );
  onProgress?.(0, content.size);
  if (Xhr !== undefined) return sendByXhr(new Xhr(), form.url, body, upload);
  const response = await fetch(form.url, {
    method: 'POST',
    body,
    signal,
  });
  const answer = await response.text();
  if (!response.ok) throw refusal(response.status, answer);
  onProgress?.(content.size, content.size);
}

/** Tells of its bytes as they are taken. Platforms that read files in a way of their own tell the end alone. */
class CountedFile extends File {
  readonly #onProgress: NonNullable<Upload['onProgress']>;

  constructor(content: Blob, onProgress: NonNullable<Upload['onProgress']>) {
    super([content], 'file', { type: content.type });
    this.#onProgress = onProgress;
  }

  override stream(): ReturnType<File['stream']> {
    let sent = 0;
    const count = (chunk: Uint8Array<ArrayBuffer>, controller: TransformStreamDefaultController) => {
      sent += chunk.byteLength;
      this.#onProgress(sent, this.size);
      controller.enqueue(chunk);
    };
    return super.stream().pipeThrough(new TransformStream({ transform: count }));
  }
}

/** What a browser has for uploads that tell how far they are. */
interface Browser {
  XMLHttpRequest?: new () => {
    upload: { onprogress: ((event: { loaded: number }) => void) | null };
    onload: (() => void) | null;
    onerror: (() => void) | null;
    onabort: (() => void) | null;
    status: number;
    responseText: string;
    open(method: string, url: string): void;
    send(body: FormData): void;
    abort(): void;
  };
}

function sendByXhr(
  request: InstanceType<NonNullable<Browser['XMLHttpRequest']>>,
  url: string,
  body: FormData,
  { content, onProgress, signal }: Upload,
): Promise<void> {
  const abort = () => request.abort();
  signal?.addEventListener('abort', abort, { once: true });
  const sent = new Promise<void>((resolve, reject) => {
    request.upload.onprogress = ({ loaded }) => onProgress?.(Math.min(loaded, content.size), content.size);
    request.onload = () =>
      request.status < 300 ? resolve() : reject(refusal(request.status, request.responseText));
    request.onerror = () => reject(new ConnectionError("The storage didn't answer."));
    request.onabort = () => reject(signal?.reason ?? new ConnectionError('The upload was aborted.'));
    request.open('POST', url);
    request.send(body);
  });
  return sent.finally(() => signal?.removeEventListener('abort', abort));
}

/** A store that is overloaded may take it later. */
function refusal(status: number, answer: string): Error {
  const said = /<Message>([^<]*)/.exec(answer)?.[1] ?? answer.slice(0, 200);
  const message = `The storage answered ${status}: ${said}`;
  return status >= 500 || status === 429 ? new ConnectionError(message) : new Refused(message);
}

const endings = /\.(?:csv|tsv|txt|parquet|json|ndjson|jsonl|xlsx|gz|zst)$/i;

/** A name of a table for a file: `2026 Orders.csv.gz` becomes `2026_orders`, what has no letter `imported`. */
export function tableNameOf(path: string): string {
  let name = path.slice(path.lastIndexOf('/') + 1);
  while (endings.test(name)) name = name.replace(endings, '');
  const plain = name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_+|_+$/g, '');
  return plain === '' ? 'imported' : plain;
}
