import type { Client, Connection, Submittable } from 'pg';

/** Receives each complete row of COPY; the buffer is only valid during the call. */
export type TakeRow = (row: Buffer, flow: { pause(): void; resume(): void }) => void;

interface CopyMessages {
  stream: { pause(): void; resume(): void };
}

/**
 * COPY … TO STDOUT that receives each row as the server sends it. The driver handles the messages but has no
 * query for them; the library for it would join rows, whose boundaries are needed to split files.
 */
class CopyOut implements Submittable {
  readonly done: Promise<number>;
  readonly #statement: string;
  readonly #take: TakeRow;
  #resolve: (rows: number) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  #error: unknown;
  #rows = 0;

  constructor(statement: string, take: TakeRow) {
    this.#statement = statement;
    this.#take = take;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.done.catch(() => undefined);
  }

  submit(connection: Connection): void {
    (connection as unknown as { query(text: string): void }).query(this.#statement);
  }

  handleCopyData({ chunk }: { chunk: Buffer }, { stream }: CopyMessages): void {
    if (this.#error !== undefined) return;
    this.#rows += 1;
    try {
      this.#take(chunk, stream);
    } catch (error) {
      this.#error = error;
      this.#reject(error);
    }
  }

  handleError(error: unknown): void {
    this.#error ??= error;
    this.#reject(error);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#resolve(this.#rows);
  }
}

/** Runs COPY; returns the number of rows. */
export function copyOut(client: Client, statement: string, take: TakeRow): Promise<number> {
  const copy = new CopyOut(statement, take);
  client.query(copy);
  return copy.done;
}
