import { z } from 'zod';
import { AppError } from '../../../../data/errors.ts';
import { derivedId } from '../../../../data/ids.ts';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { findFileByPath, listFilesBelow } from '../../../workspace/files/files.ts';
import { pathFault } from '../../../workspace/files/path.ts';
import { writeFile } from '../../../workspace/files/write.ts';
import { defineTool, text } from './tool.ts';

/** Bytes of a file returned by one read. */
const shownBytes = 24_000;
const listed = 200;
const writtenCharacters = 1_000_000;

const path = text(1, 1_024)
  .refine(
    (given) => pathFault(given) === undefined,
    'The path must be relative, without .. and control characters.',
  )
  .transform((given) => given.normalize('NFC'))
  .describe('Path of a file in the project.');

export const listFilesTool = defineTool({
  name: 'list_files',
  description: 'Lists the files of the project by path.',
  input: z.strictObject({ prefix: text(0, 1_024).default('') }),
  async run({ deps, organizationId, projectId }, { prefix }) {
    const files = await inOrganization(deps.db, organizationId, (db) =>
      listFilesBelow(db, organizationId, projectId, prefix, listed + 1),
    );
    return {
      output: {
        files: files.slice(0, listed).map((file) => ({
          path: file.path,
          contentType: file.content_type,
          sizeBytes: file.size_bytes,
        })),
        hasMore: files.length > listed,
      },
      summary: `${Math.min(files.length, listed)} files.`,
    };
  },
});

export const readFileTool = defineTool({
  name: 'read_file',
  description: `Reads a text file of the project: up to ${shownBytes} bytes, from an offset.`,
  input: z.strictObject({ path, offset: z.int().min(0).default(0) }),
  async run({ deps, organizationId, projectId }, { path: name, offset }) {
    const file = await inOrganization(deps.db, organizationId, (db) =>
      findFileByPath(db, organizationId, projectId, name),
    );
    if (file === undefined) throw new AppError('not_found', `The project has no file ${name}.`);
    if (offset >= file.size_bytes)
      return {
        output: { text: '', sizeBytes: file.size_bytes, nextOffset: null },
        summary: 'There are no more bytes.',
      };
    const to = Math.min(file.size_bytes, offset + shownBytes) - 1;
    const chunks: Buffer[] = [];
    for await (const chunk of await deps.objects.read(file.object_key, { from: offset, to }))
      chunks.push(chunk as Buffer);
    const read = Buffer.concat(chunks);
    const bytes = to + 1 < file.size_bytes ? read.subarray(0, wholeCharacters(read)) : read;
    const next = offset + bytes.length;
    if (bytes.includes(0)) throw new AppError('invalid_request', `${name} isn't a text file.`);
    return {
      output: {
        text: bytes.toString('utf8'),
        sizeBytes: file.size_bytes,
        nextOffset: next < file.size_bytes ? next : null,
      },
      summary: `Read ${bytes.length} bytes of ${name}.`,
    };
  },
});

/** Number of bytes up to the end of the last complete character. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

export const writeFileTool = defineTool({
  name: 'write_file',
  description: 'Writes a text file in the project: a new file, or a new version of the file at this path.',
  input: z.strictObject({ path, content: text(0, writtenCharacters) }),
  async run(call, { path: name, content }) {
    const { deps, organizationId, projectId } = call;
    const { file, created } = await writeFile(deps, {
      organizationId,
      projectId,
      path: name,
      bytes: Buffer.from(content),
      id: derivedId('fil', call.atMs, `${call.messageId}\n${call.partIndex}`),
    });
    return {
      output: { path: name, sizeBytes: file.size_bytes, version: file.version },
      summary: `${created ? 'Wrote' : 'Replaced'} ${name}.`,
    };
  },
});
