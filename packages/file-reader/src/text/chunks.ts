import type { FileStore } from '../contract.ts';
import { createTranscoder } from './encoding.ts';
import { createUnescaper, type EscapeLayout } from './unescape.ts';

const chunkBytes = 1024 * 1024;

export interface ChunkOptions {
  from?: number;
  /** Called with the number of bytes read so far. */
  onRead?: (bytes: number) => void;
  signal?: AbortSignal | undefined;
}

/** A file's bytes in large chunks, because the splitter works on whole buffers. */
export async function* fileChunks(
  store: FileStore,
  key: string,
  sizeBytes: number,
  options: ChunkOptions = {},
): AsyncGenerator<Buffer> {
  const from = options.from ?? 0;
  if (from >= sizeBytes) return;
  const stream = await store.read(key, { from, to: sizeBytes - 1 });
  const abort = (): void =>
    void stream.destroy(
      options.signal?.reason instanceof Error ? options.signal.reason : new Error('aborted'),
    );
  options.signal?.addEventListener('abort', abort, { once: true });
  try {
    options.signal?.throwIfAborted();
    let parts: Buffer[] = [];
    let waiting = 0;
    let read = from;
    for await (const part of stream as AsyncIterable<Buffer>) {
      parts.push(part);
      waiting += part.length;
      if (waiting < chunkBytes) continue;
      read += waiting;
      options.onRead?.(read);
      yield parts.length === 1 ? part : Buffer.concat(parts);
      parts = [];
      waiting = 0;
    }
    options.onRead?.(read + waiting);
    if (waiting > 0) yield Buffer.concat(parts);
  } finally {
    options.signal?.removeEventListener('abort', abort);
    stream.destroy();
  }
}

/** The first bytes of a file. */
export async function fileHead(
  store: FileStore,
  key: string,
  sizeBytes: number,
  headBytes: number,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of fileChunks(store, key, Math.min(sizeBytes, headBytes))) parts.push(part);
  return Buffer.concat(parts);
}

/** The text of a file in UTF-8, in which quotes within values are doubled. */
export async function* transcoded(
  chunks: AsyncIterable<Buffer>,
  encoding: string,
  escaping?: EscapeLayout,
): AsyncGenerator<Buffer> {
  const transcoder = createTranscoder(encoding);
  const unescaper = escaping && createUnescaper(escaping);
  const plain = (text: Buffer) => unescaper?.write(text) ?? text;
  for await (const chunk of chunks) yield plain(transcoder.write(chunk));
  const rest = plain(transcoder.end());
  if (rest.length > 0) yield rest;
  const last = unescaper?.end();
  if (last !== undefined && last.length > 0) yield last;
}
