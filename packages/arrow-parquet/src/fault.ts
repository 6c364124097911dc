/** The stream cannot be repacked. The message is meant for whoever sent it. */
export class ArrowFault extends Error {
  override readonly name = 'ArrowFault';
  readonly column: string | undefined;
  /** Zero-based, in the stream. */
  readonly row: number | undefined;

  constructor(message: string, place: { column?: string; row?: number } = {}) {
    super(message);
    this.column = place.column;
    this.row = place.row;
  }
}

export function damaged(): ArrowFault {
  return new ArrowFault("The body isn't a complete Arrow IPC stream.");
}
