/** `too_large`: rows take more bytes than they may; `unheld`: a format cannot hold a value. */
export type RowFaultCode = 'too_large' | 'unheld';

/** Why rows cannot be written. Its message says what to change, for whoever asked for them. */
export class RowFault extends Error {
  override readonly name = 'RowFault';
  readonly code: RowFaultCode;

  constructor(code: RowFaultCode, message: string) {
    super(message);
    this.code = code;
  }
}
