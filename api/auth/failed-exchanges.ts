import { AppError } from '../../data/errors.ts';
import { isId } from '../../data/ids.ts';
import { addressGroup } from '../plugins/address-group.ts';
import { tokenBuckets } from '../plugins/token-buckets.ts';

const failuresPerMinute = 10;
/** Beyond so many of one address its credentials are not even looked at. */
const looksPerMinute = 100;

/**
 * Throttles wrong client secrets, however high the rate limit is set: by the address that sends them, and by
 * the client they are sent for. Right credentials are served to the last look, and of a client that others
 * guess at everywhere else: whoever floods one address or one client locks nobody out.
 */
export interface FailedExchanges {
  /** Throws where the address failed so often that nothing is looked up for it. */
  admit(address: string): void;
  /** Counts a failure, and gives what to answer it with. */
  refuse(address: string, clientId: string, failure: AppError): AppError;
}

export function failedExchanges(): FailedExchanges {
  const looks = tokenBuckets(looksPerMinute);
  const byAddress = tokenBuckets(failuresPerMinute);
  const byClient = tokenBuckets(failuresPerMinute);
  return {
    admit(address) {
      const left = looks.peek(addressGroup(address));
      if (!left.admitted) throw tooMany(left.waitSeconds);
    },
    refuse(address, clientId, failure) {
      const group = addressGroup(address);
      looks.take(group);
      const counts = [byAddress.take(group)];
      // What cannot be a client's id is nobody's, and may be as long as a body.
      if (isId('cli', clientId)) counts.push(byClient.take(clientId));
      if (counts.every(({ admitted }) => admitted)) return failure;
      return tooMany(Math.max(...counts.map(({ waitSeconds }) => waitSeconds)));
    },
  };
}

function tooMany(waitSeconds: number): AppError {
  return new AppError('rate_limited', 'Too many exchanges with wrong client credentials; try again later.', {
    retryAfterSeconds: Math.max(1, waitSeconds),
  });
}
