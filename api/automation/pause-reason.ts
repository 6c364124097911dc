import { z } from 'zod';

/** Of schedules and workflows; left out while there is none. */
export const pauseReason = z
  .enum(['maker_removed', 'grant_lost'])
  .optional()
  .describe(
    'Why it was paused, if not by a call. For example, the person it runs as was removed or can no longer read one of its tables.',
  );

export const pauseReasonOf = ({
  pause_reason: reason,
}: {
  pause_reason: 'maker_removed' | 'grant_lost' | null;
}) => (reason === null ? {} : { pauseReason: reason });
