import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { Transform, type TransformCallback } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

const newline = 0x0a;
const endOfRows = Buffer.from('\\.\n');
const copies = /^COPY .* FROM stdin;$/;

/**
 * Runs what copy-schema.ts wrote, in the transaction of `client`.
 *
 * @throws Error if the file has another SHA-256; the transaction must then be rolled back
 */
export async function loadSchema(client: pg.Client, path: string, sha256: string): Promise<void> {
  const hash = createHash('sha256');
  const hashing = new Transform({
    transform(chunk: Buffer, _, done: TransformCallback) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const file = createReadStream(path);
  const text = createGunzip();
  // A failure of either ends the text with it.
  pipeline(file, hashing, text).catch(() => undefined);
  const changed = (cause?: unknown) =>
    new Error(`${path} has changed since the backup. Its SHA-256 differs.`, { cause });
  try {
    await run(client, text);
  } catch (error) {
    // It can't be unpacked any more.
    if ((error as { code?: string }).code?.startsWith('Z_') === true) throw changed(error);
    throw error;
  }
  if (hash.digest('hex') !== sha256) throw changed();
}

async function run(client: pg.Client, text: AsyncIterable<Buffer>): Promise<void> {
  let rows: ReturnType<typeof copyFrom> | undefined;
  try {
    for await (const lines of wholeLines(text)) {
      let from = 0;
      while (from < lines.length) {
        if (rows === undefined) {
          const end = lines.indexOf(newline, from);
          const statement = lines.toString('utf8', from, end);
          from = end + 1;
          if (copies.test(statement)) rows = client.query(copyFrom(statement));
          else await client.query(statement);
          continue;
        }
        const end = endOfCopy(lines, from);
        const part = lines.subarray(from, end ?? lines.length);
        if (part.length > 0 && !rows.write(part)) await once(rows, 'drain');
        if (end === undefined) break;
        rows.end();
        await finished(rows);
        rows = undefined;
        from = end + endOfRows.length;
      }
    }
    if (rows !== undefined) throw new Error('The file ends in the middle of a table.');
  } catch (error) {
    // Otherwise the session would wait for more rows, and whatever comes next for the session.
    if (rows !== undefined && !rows.destroyed) {
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      rows.on('error', () => undefined).once('close', resolve);
      rows.destroy();
      await closed;
    }
    throw error;
  }
}

/** Chunks that end where a line ends. */
async function* wholeLines(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  for await (const chunk of text) {
    const end = chunk.lastIndexOf(newline) + 1;
    if (end === 0) {
      held.push(chunk);
      continue;
    }
    yield Buffer.concat([...held, chunk.subarray(0, end)]);
    held = end === chunk.length ? [] : [chunk.subarray(end)];
  }
  if (held.length > 0) throw new Error('The file ends in the middle of a line.');
}

/** Where the line that ends the rows begins; undefined if it is not among these lines. */
function endOfCopy(lines: Buffer, from: number): number | undefined {
  const isEnd = (at: number) => lines.subarray(at, at + endOfRows.length).equals(endOfRows);
  if (isEnd(from)) return from;
  const at = lines.indexOf(`\n${endOfRows}`, from);
  return at === -1 ? undefined : at + 1;
}
