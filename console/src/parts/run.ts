import type { components } from '../../../clients/typescript/src/index.ts';

export type Run = components['schemas']['Run'];

/** What is under way is looked at that often, in milliseconds. */
export const lookEveryMs = 3_000;

const ends = new Set<Run['status']>(['succeeded', 'failed', 'cancelled']);

export const hasEnded = ({ status }: Run): boolean => ends.has(status);
