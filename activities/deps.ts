import type { Service } from '../service/open.ts';

/** Dependencies of activities, the same as those of routes. */
export type ActivityDeps = Service;
