import type { ErrorCode } from '../../../data/errors.ts';

/** Why a statement did not finish, or its answer cannot be given. Its message is shown to the client. */
export class QueryRefusal extends Error {
  override readonly name = 'QueryRefusal';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
