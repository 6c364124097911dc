import type { Logger } from 'pino';
import type { CatalogContent } from '../../domain/tables/query/postgres/content.ts';
import type { QueryDeps } from '../../domain/tables/query/run.ts';
import type { FieldDescription, Report } from '../../packages/postgres-protocol/index.ts';
import type { Connection } from './connection.ts';
import type { RowCursor } from './row-cursor.ts';
import type { Settings } from './settings.ts';
import type { SessionCaller } from './sign-in.ts';
import type { Transaction } from './transaction.ts';

/** What statements of a session work with. */
export interface Session {
  deps: QueryDeps;
  logger: Logger;
  connection: Connection;
  caller: SessionCaller;
  /** The organization, as the client has named it. */
  database: string;
  user: string;
  processId: number;
  settings: Settings;
  transaction: Transaction;
  cursors: Map<string, SqlCursor>;
  /** Forgets prepared statements: one, or all. */
  deallocate(name: string | undefined): void;
  /** Tells the client of something beside the answer. */
  notify(notice: Omit<Report, 'severity'> & { severity?: Report['severity'] }): void;
  /**
   * Counts a statement towards the rate limit of the caller.
   *
   * @throws AppError rate_limited
   */
  admit(): void;
  /** What the caller can read, as a catalog shows it; it is at most a few seconds old. */
  content(): Promise<CatalogContent>;
  /** The signal of the statement that runs, which a cancel request aborts. */
  signal(): AbortSignal;
}

/** A cursor that DECLARE has made. */
export interface SqlCursor {
  fields: FieldDescription[];
  rows: RowCursor;
  /** Whether it outlives its transaction. */
  isHeld: boolean;
}
