/**
 * Statements that set how a commit of an engine comes again when its snapshot number was taken. It comes at
 * once, since whoever took the number has committed; DuckLake's default is ten attempts from 100 ms on, for
 * which a table in use by others waits long.
 */
export const commitRetries = [
  'SET GLOBAL ducklake_retry_wait_ms = 2',
  'SET GLOBAL ducklake_retry_backoff = 1.5',
  'SET GLOBAL ducklake_max_retry_count = 20',
] as const;
