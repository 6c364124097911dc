import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { SentColumns } from '../../domain/intake/ingestion/column-pages/sent.ts';

/** The content types of tables in columns. */
export const columnTypes = {
  parquet: 'application/vnd.apache.parquet',
  arrow: 'application/vnd.apache.arrow.stream',
} as const;

const formats = new Map(
  Object.entries(columnTypes).map(([format, type]) => [type as string, format as SentColumns['format']]),
);

/** Makes the routes of this scope also take Parquet and Arrow, of which their handlers get the bytes. */
export function columnBody(app: Pick<FastifyInstance, 'addHook'>): void {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, takesColumns: true };
    route.schema = { ...route.schema, consumes: ['application/json', ...Object.values(columnTypes)] };
  });
}

/** The columns that a request sends; undefined if it sends something else. */
export function sentColumnsOf({ body, headers }: FastifyRequest): SentColumns | undefined {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const format = formats.get(type.trim().toLowerCase());
  return format === undefined || !Buffer.isBuffer(body) ? undefined : { format, bytes: body };
}
