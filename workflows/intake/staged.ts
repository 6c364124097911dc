import { setCurrentDetails } from '@temporalio/workflow';
import { always, wasCancelled } from '../cancellation.ts';

/** Commits what is staged; a cancellation comes too late, because the commit decides. */
export const commitOrDiscard = <Outcome extends { status: string }>(
  commit: () => Promise<Outcome>,
  discard: () => Promise<void>,
): Promise<Outcome> =>
  always(async () => {
    const outcome = await commit();
    // It was ended meanwhile, so nothing refers to what was staged.
    if (outcome.status !== 'succeeded') await discard();
    return outcome;
  });

/** Removes what is staged, and ends as the error says. */
export const discardAndEnd = <Outcome>(
  error: unknown,
  discard: () => Promise<void>,
  end: (status: 'failed' | 'cancelled') => Promise<Outcome>,
): Promise<Outcome> =>
  always(async () => {
    setCurrentDetails('Removing staged data.');
    await discard();
    return end(wasCancelled(error) ? 'cancelled' : 'failed');
  });
