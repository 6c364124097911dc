import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Logger } from 'pino';
import type { Cipher } from '../data/encryption.ts';
import type { LakeDeps } from '../data/lake/commit.ts';
import type { ObjectStore } from '../data/objects/store.ts';
import type { Database } from '../data/postgres/client.ts';
import type { ProcessStarter } from '../data/processes/starter.ts';
import type { FileReader } from '../domain/file-imports/reader.ts';
import type { PageWriter } from '../domain/ingestion/page-writer.ts';
import type { QueryPool } from '../domain/query/pool.ts';
import type { BodyReader } from '../domain/records/reading/reader.ts';
import type { Appender } from '../domain/rows/append-queue.ts';
import type { RowsBodies } from '../domain/rows/body.ts';
import type { BodyRules } from './plugins/body-bytes.ts';

/** Everything a route may use, made once in main.ts. */
export interface ApiDeps {
  db: Database;
  cipher: Cipher;
  objects: ObjectStore;
  lake: LakeDeps;
  append: Appender;
  /** Reads files for previews. */
  files: FileReader;
  /** Reads bodies with lists of records, off the event loop where they are large. */
  reader: BodyReader;
  rows: RowsBodies;
  /** Makes Parquet of staged pages. */
  pages: PageWriter;
  queries: QueryPool;
  processes: ProcessStarter;
  logger: Logger;
  rateLimitPerMinute: number;
  publicUrl: string | undefined;
  /** Networks whose word on whom they forward for is taken; none where left out. */
  trustedProxies?: readonly string[];
  /** Asks each dependency whether it answers, by name. */
  probes: Readonly<Record<'postgres' | 'objectStore' | 'temporal', () => Promise<unknown>>>;
  /** Bounds of bodies at once; left out, those of production. */
  bodyRules?: BodyRules;
  /** Checks every answer against its documented schema: on in tests, where a mismatch must show. */
  validateResponses: boolean;
}

/** The app as resources see it: their zod schemas type their handlers. */
export type Routes = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>;
