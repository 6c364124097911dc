import type { Service } from '../service/open.ts';

/** Everything an activity may use: what routes may use too. */
export type ActivityDeps = Service;
