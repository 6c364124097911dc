import { AppError } from '../../../data/errors.ts';
import type { Quota } from './limits.ts';

/**
 * Refuses one more of what a quota counts.
 *
 * @throws AppError limit_reached, with `limit` and `current`
 */
export function refuseBeyond({ most, holder, what, todo }: Quota, current: number): void {
  if (current < most) return;
  const has = holder === 'person' ? 'You have' : `${holder === 'network' ? 'Your' : 'The'} ${holder} has`;
  throw new AppError(
    'limit_reached',
    `${has} ${current.toLocaleString('en-US')} ${what}; the limit is ${most.toLocaleString('en-US')}. ${todo}`,
    { extensions: { limit: most, current } },
  );
}
