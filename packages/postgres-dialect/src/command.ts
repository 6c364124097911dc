/** What a statement asks for besides rows of tables. */
export type Command =
  | { kind: 'query' }
  | { kind: 'begin'; tag: string }
  | { kind: 'commit'; tag: string }
  | { kind: 'rollback'; tag: string }
  /** Savepoints are accepted, and hold nothing: nothing is changed that could be undone. */
  | { kind: 'savepoint'; tag: string; recovers: boolean }
  | { kind: 'set'; name: string; value: string | null }
  | { kind: 'show'; name: string }
  | { kind: 'discard'; tag: string }
  | { kind: 'deallocate'; name: string | undefined }
  /** Accepted without any effect. */
  | { kind: 'nothing'; tag: string }
  | CopyCommand
  | CursorCommand
  /** Would change something. */
  | { kind: 'write'; verb: string }
  | { kind: 'unsupported'; what: string };

/** COPY (SELECT …) TO STDOUT, or of a table. */
export interface CopyCommand {
  kind: 'copy';
  sql: string;
  form: 'text' | 'csv';
  delimiter: string;
  null: string;
  quote: string;
  hasHeader: boolean;
}

/** A cursor moves forward only, whatever it was declared as. */
export type CursorCommand =
  | { kind: 'declare'; name: string; sql: string; isHeld: boolean }
  /** `count` undefined takes all that is left. */
  | { kind: 'fetch'; name: string; count: number | undefined; isMove: boolean }
  /** All cursors, if no name is given. */
  | { kind: 'close'; name: string | undefined };
