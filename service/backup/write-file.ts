import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { type Duplex, PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Writes a new file that only its owner may read. @returns size and SHA-256 of what was written */
export async function writeFile(
  source: AsyncIterable<string | Buffer>,
  path: string,
  through: Duplex = new PassThrough(),
): Promise<{ sizeBytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  await pipeline(
    source,
    through,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        sizeBytes += chunk.length;
        yield chunk;
      }
    },
    createWriteStream(path, { flags: 'wx', mode: 0o600 }),
  );
  return { sizeBytes, sha256: hash.digest('hex') };
}
