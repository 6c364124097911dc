import { AppError } from '../../data/errors.ts';
import { isId } from '../../data/ids.ts';
import { addressGroup } from '../plugins/address-group.ts';
import { tokenBuckets } from '../plugins/token-buckets.ts';

const failuresPerMinute = 10;
/** After this many failures of one address per minute, its credentials are no longer checked. */
const looksPerMinute = 100;

/**
 * Throttles wrong client secrets, independently of the rate limit: per address, and per client id. Valid
 * credentials are accepted until the address reaches `looksPerMinute`, and those of a client whose secret
 * others guess are accepted from every other address. Flooding one address or client therefore locks nobody
 * else out.
 */
export interface FailedExchanges {
  /** @throws AppError rate_limited if the address failed so often that its credentials are not checked */
  admit(address: string): void;
  /** Counts a failure, and returns the error to answer with. */
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
      // Anything that is not a client id belongs to no client, and may be as long as a body.
      if (isId('cli', clientId)) counts.push(byClient.take(clientId));
      if (counts.every(({ admitted }) => admitted)) return failure;
      return tooMany(Math.max(...counts.map(({ waitSeconds }) => waitSeconds)));
    },
  };
}

function tooMany(waitSeconds: number): AppError {
  return new AppError('rate_limited', 'Too many requests used wrong client credentials. Try again later.', {
    retryAfterSeconds: Math.max(1, waitSeconds),
  });
}
