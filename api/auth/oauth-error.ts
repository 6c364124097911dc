import { AppError, type ErrorCode } from '../../data/errors.ts';

/**
 * A problem of an OAuth route, which also carries the member `error` of RFC 6749, 7591, 8628 and 8707; that
 * is the code, unless it is one that only OAuth knows.
 */
export function oauthError(code: ErrorCode, detail: string, error: string = code): AppError {
  return new AppError(code, detail, { extensions: { error } });
}
