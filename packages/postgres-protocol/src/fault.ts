/** Why a conversation cannot go on, or a message of it is refused. Its message may be shown to the client. */
export class ProtocolFault extends Error {
  override readonly name = 'ProtocolFault';
  /** The five characters by which clients tell errors apart. */
  readonly sqlState: string;

  constructor(sqlState: string, message: string) {
    super(message);
    this.sqlState = sqlState;
  }
}

/** A message that doesn't have the form of its kind. */
export const violation = (message: string): ProtocolFault => new ProtocolFault('08P01', message);
