/** Why there is no document or chart: what the input holds too much of, or what cannot be shown. */
export type DocumentFaultCode = 'report_too_complex' | 'chart_refused' | 'drawing_refused';

/** A fault of the input. Its message says what to change, and contains nothing private. */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault';
  readonly code: DocumentFaultCode;

  constructor(code: DocumentFaultCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
