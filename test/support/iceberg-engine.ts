import { randomBytes } from 'node:crypto';
import avro from 'avsc';
import type { Answer, TestClient, Workspace } from './workspace.ts';

/** One file as a manifest of an engine has it. */
export interface ManifestEntry {
  status: 0 | 1 | 2;
  content: 0 | 1 | 2;
  url: string;
  rows: number;
}

const base = '/v1/iceberg/v1';

const entryType = avro.Type.forSchema({
  type: 'record',
  name: 'manifest_entry',
  fields: [
    { name: 'status', type: 'int' },
    { name: 'snapshot_id', type: ['null', 'long'], default: null },
    {
      name: 'data_file',
      type: {
        type: 'record',
        name: 'r2',
        fields: [
          { name: 'content', type: 'int' },
          { name: 'file_path', type: 'string' },
          { name: 'file_format', type: 'string' },
          { name: 'record_count', type: 'long' },
        ],
      },
    },
  ],
});
const listType = avro.Type.forSchema({
  type: 'record',
  name: 'manifest_file',
  fields: [
    { name: 'manifest_path', type: 'string' },
    { name: 'content', type: 'int' },
    { name: 'added_snapshot_id', type: 'long' },
  ],
});

/** An Avro file of these rows. */
export function avroBytes(type: avro.Type, rows: readonly object[], codec = 'null'): Promise<Buffer> {
  const encoder = new avro.streams.BlockEncoder(type, { codec });
  for (const row of rows) encoder.write(row);
  encoder.end();
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    encoder.on('data', (piece: Buffer) => pieces.push(piece));
    encoder.on('end', () => resolve(Buffer.concat(pieces)));
    encoder.on('error', reject);
  });
}

/** An engine that creates and writes Iceberg tables by the catalog, as far as the tests need one. */
export function icebergEngine(workspace: Workspace, client: TestClient) {
  const { lake, objects } = workspace.deps;
  const tables = `${base}/${client.organizationId}/namespaces/main/tables`;
  const keyOf = (url: string) => url.slice(objects.rootUrl.length);

  return {
    tables,
    create: (name: string, fields: readonly object[], more: object = {}) =>
      client.call('POST', tables, {
        body: { name, schema: { type: 'struct', 'schema-id': 0, fields }, ...more },
      }),
    load: (name: string) => client.call('GET', `${tables}/${name}`),

    /** Writes the rows of a SELECT to a Parquet file; returns its address. */
    async parquet(location: string, select: string, fieldIds: string): Promise<string> {
      const url = `${location}/data/${randomBytes(8).toString('hex')}.parquet`;
      await lake.engine.scratch(client.organizationId, (connection) =>
        connection.run(`COPY (${select}) TO '${url}' (FORMAT parquet, FIELD_IDS ${fieldIds})`),
      );
      return url;
    },

    /** Writes a snapshot's manifest and its list; returns the update that adds it. */
    async snapshot(location: string, entries: readonly ManifestEntry[], codec?: string) {
      const id = Number(randomBytes(6).readUIntBE(0, 6));
      const manifest = `${location}/metadata/${id}-m0.avro`;
      const rows = entries.map(({ status, content, url, rows }) => ({
        ...{ status, snapshot_id: id },
        data_file: { content, file_path: url, file_format: 'PARQUET', record_count: rows },
      }));
      await objects.put(keyOf(manifest), await avroBytes(entryType, rows, codec), 'application/avro');
      const list = `${location}/metadata/snap-${id}.avro`;
      const listed = [{ manifest_path: manifest, content: 0, added_snapshot_id: id }];
      await objects.put(keyOf(list), await avroBytes(listType, listed, codec), 'application/avro');
      return [
        { action: 'add-snapshot', snapshot: { 'snapshot-id': id, 'manifest-list': list } },
        { action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': id },
      ];
    },

    commit: (
      name: string,
      updates: readonly object[],
      requirements: readonly object[] = [],
    ): Promise<Answer> => client.call('POST', `${tables}/${name}`, { body: { requirements, updates } }),
  };
}
