import { AppError, type ErrorCode } from '../../data/errors.ts';

/** A problem of a token route, which also carries the member `error` of RFC 6749 and RFC 8628. */
export function oauthError(code: ErrorCode, detail: string): AppError {
  return new AppError(code, detail, { extensions: { error: code } });
}
