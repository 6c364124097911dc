import { BadFileError } from '../bad-file.ts';
import type { ColumnMapping, ReaderDeps, ReadOptions, SourceFile } from '../contract.ts';
import { fileChunks, fileHead, transcoded } from '../text/chunks.ts';
import { textForm } from '../text/csv.ts';
import { byteOrderMark, detectEncoding } from '../text/encoding.ts';
import type { NumberedTable, NumberOptions, TextSource } from '../text/source.ts';
import { createSplitter } from '../text/split.ts';
import { createTaggedWriter, type FinishOptions, type TaggedWriter } from '../text/tagged.ts';
import { createFit, unreadableFromJson } from '../values/nested.ts';
import { dataType } from '../values/types.ts';
import { createElementScanner } from './elements.ts';
import { createShapes, type Shape } from './shape.ts';
import { addObject, type NestedReading } from './values.ts';

const headBytes = 64 * 1024;

/**
 * JSON as an array of objects or a single object, NDJSON as one object per line. Each object is a record,
 * each key a column.
 */
export async function openJson(
  deps: ReaderDeps,
  source: SourceFile,
  options: ReadOptions,
): Promise<TextSource> {
  const head = await fileHead(deps.store, source.key, source.sizeBytes, headBytes);
  if (head.length === 0) throw new BadFileError('empty_file', 'The file is empty');
  const mark = byteOrderMark(head);
  const encoding =
    mark?.encoding ?? (detectEncoding(head)?.startsWith('utf16') ? detectEncoding(head)! : 'utf8');
  const form = textForm(options.csv?.dateFormat ?? '', '');
  return {
    separator: ',',
    direct: undefined,
    effective: null,
    async number(request) {
      const bytes = fileChunks(deps.store, source.key, source.sizeBytes, {
        ...request,
        from: mark?.bytes ?? 0,
      });
      const writer = await createTaggedWriter(request.path, {
        form,
        window: request.window,
        isReserved: deps.isReserved,
      });
      return writeAll(writer, source, transcoded(bytes, encoding), {
        ...request,
        nested: nestedReading(options),
      });
    },
  };
}

async function writeAll(
  writer: TaggedWriter,
  source: SourceFile,
  chunks: AsyncIterable<Buffer>,
  { nested, ...request }: NumberOptions & { nested: ReturnType<typeof nestedReading> },
): Promise<NumberedTable> {
  try {
    const reader = source.format === 'json' ? elementReader(writer, nested) : lineReader(writer, nested);
    for await (const chunk of chunks) {
      request.signal?.throwIfAborted();
      reader.write(chunk);
      await writer.flush();
      if (writer.isDone()) return await writer.finish(false, nested);
    }
    reader.end();
    return await writer.finish(true, nested);
  } catch (error) {
    await writer.close();
    throw error;
  }
}

function elementReader(writer: TaggedWriter, nested: NestedReading) {
  return createElementScanner((bytes, line) => addObject(writer, bytes, line, nested));
}

function lineReader(writer: TaggedWriter, nested: NestedReading) {
  const layout = { separator: Buffer.from(','), quote: undefined, skipLines: 0 };
  return createSplitter(layout, (bytes, line, fault) => {
    if (fault !== undefined) writer.addBroken(line, bytes.toString(), fault);
    else if (!isBlank(bytes)) addObject(writer, bytes, line, nested);
  });
}

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte === 32 || byte === 9);

/** Each reading of the file finds the types from its own values. */
function nestedReading({ columnMappings, nested }: ReadOptions): NestedReading & FinishOptions {
  if (columnMappings !== undefined) return { fits: fitOf(columnMappings) };
  if (nested !== 'native') return {};
  const shapes = new Map<string, Shape>();
  const create = createShapes();
  return {
    look(column, value) {
      let shape = shapes.get(column);
      if (shape === undefined) {
        shape = create();
        shapes.set(column, shape);
      }
      shape.add(value);
    },
    nestedTypeOf: (column) => shapes.get(column)?.typeName(),
  };
}

/** Compares with the nested types of the mappings, by the name of their column in the file. */
function fitOf(mappings: readonly ColumnMapping[]): NonNullable<NestedReading['fits']> {
  const fits = new Map<string, ReturnType<typeof createFit>>();
  for (const mapping of mappings) {
    const type = dataType(mapping.dataType);
    if (type.kind !== 'NESTED') continue;
    const part = unreadableFromJson(type.name);
    if (part !== undefined)
      throw new BadFileError(
        'unsupported_column',
        `A nested column of a JSON file can contain STRING, INTEGER, DOUBLE, BOOLEAN and JSON, but not ${part}`,
        { column: mapping.sourceColumnName },
      );
    fits.set(mapping.sourceColumnName.trim().toLowerCase(), createFit(type.name));
  }
  return (column, value) => fits.get(column.trim().toLowerCase())?.(value) !== false;
}
