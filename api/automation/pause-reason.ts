import { z } from 'zod';

/** Of schedules and workflows; left out while there is none. */
export const pauseReason = z
  .enum(['maker_removed'])
  .optional()
  .describe('Why it was paused, if not by a call: the person that it runs as was removed.');

export const pauseReasonOf = ({ pause_reason: reason }: { pause_reason: 'maker_removed' | null }) =>
  reason === null ? {} : { pauseReason: reason };
