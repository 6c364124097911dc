import { BadFileError } from '../bad-file.ts';
import type { CsvOptions, ImportDeps, ImportSource } from '../contract.ts';
import { objectChunks, objectHead, transcoded } from '../text/chunks.ts';
import { textForm } from '../text/csv.ts';
import { byteOrderMark, detectEncoding } from '../text/encoding.ts';
import type { NumberedTable, NumberOptions, TextSource } from '../text/source.ts';
import { createSplitter } from '../text/split.ts';
import { createTaggedWriter, type TaggedWriter } from '../text/tagged.ts';
import { createElementScanner } from './elements.ts';
import { addObject } from './values.ts';

const headBytes = 64 * 1024;

/**
 * JSON as an array of objects or a single object, NDJSON as one object per line. Each object is a record,
 * each key a column.
 */
export async function openJson(
  deps: ImportDeps,
  source: ImportSource,
  options: CsvOptions,
): Promise<TextSource> {
  const head = await objectHead(deps.objects, source.objectKey, source.sizeBytes, headBytes);
  if (head.length === 0) throw new BadFileError('empty_file', 'The file is empty');
  const mark = byteOrderMark(head);
  const encoding =
    mark?.encoding ?? (detectEncoding(head)?.startsWith('utf16') ? detectEncoding(head)! : 'utf8');
  const form = textForm(options.dateFormat ?? '', '');
  return {
    separator: ',',
    direct: undefined,
    effective: null,
    async number(request) {
      const bytes = objectChunks(deps.objects, source.objectKey, source.sizeBytes, {
        ...request,
        from: mark?.bytes ?? 0,
      });
      const writer = await createTaggedWriter(request.path, form, request.window);
      return writeAll(writer, source, transcoded(bytes, encoding), request);
    },
  };
}

async function writeAll(
  writer: TaggedWriter,
  source: ImportSource,
  chunks: AsyncIterable<Buffer>,
  request: NumberOptions,
): Promise<NumberedTable> {
  try {
    const reader = source.format === 'json' ? elementReader(writer) : lineReader(writer);
    for await (const chunk of chunks) {
      request.signal?.throwIfAborted();
      reader.write(chunk);
      await writer.flush();
      if (writer.isDone()) return await writer.finish(false);
    }
    reader.end();
    return await writer.finish(true);
  } catch (error) {
    await writer.close();
    throw error;
  }
}

function elementReader(writer: TaggedWriter) {
  return createElementScanner((bytes, line) => addObject(writer, bytes, line));
}

function lineReader(writer: TaggedWriter) {
  const layout = { separator: Buffer.from(','), quote: undefined, skipLines: 0 };
  return createSplitter(layout, (bytes, line, fault) => {
    if (fault !== undefined) writer.addBroken(line, bytes.toString(), fault);
    else if (!isBlank(bytes)) addObject(writer, bytes, line);
  });
}

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte === 32 || byte === 9);
