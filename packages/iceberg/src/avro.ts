import { createHash } from 'node:crypto';
import avro from 'avsc';

/** Rows of one block; between blocks other work of the process goes on. */
const rowsOfBlock = 500;

const headerType = avro.Type.forSchema({ type: 'map', values: 'bytes' });
const long = avro.Type.forSchema('long');

/** The types of a schema that is used repeatedly. */
export interface AvroSchema {
  schema: object;
  type: avro.Type;
}

export const avroSchema = (schema: object): AvroSchema => ({
  schema,
  type: avro.Type.forSchema(schema as avro.Schema),
});

/**
 * An Avro object container file. Its header has the schema as given, with the field ids that Iceberg puts
 * into it, which a stream of the library would leave out.
 *
 * @param metadata of the header, besides schema and codec
 */
export async function avroFile(
  { schema, type }: AvroSchema,
  metadata: Readonly<Record<string, string>>,
  rows: readonly object[],
): Promise<Buffer> {
  const header = { ...metadata, 'avro.schema': JSON.stringify(schema), 'avro.codec': 'null' };
  // The same rows are the same bytes: they may be written twice while somebody reads them.
  const sync = createHash('md5').update(JSON.stringify(header)).digest();
  const entries = Object.entries(header).map(([name, text]) => [name, Buffer.from(text)] as const);
  const pieces: Buffer[] = [
    Buffer.from('Obj\u0001', 'latin1'),
    headerType.toBuffer(Object.fromEntries(entries)),
    sync,
  ];
  for (let from = 0; from < rows.length; from += rowsOfBlock) {
    const block = rows.slice(from, from + rowsOfBlock).map((row) => type.toBuffer(row));
    const bytes = Buffer.concat(block);
    pieces.push(long.toBuffer(block.length), long.toBuffer(bytes.length), bytes, sync);
    await new Promise(setImmediate);
  }
  return Buffer.concat(pieces);
}
