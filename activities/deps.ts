import type { Service } from '../domain/service/open.ts';

/** Everything an activity may use: what routes may use too. */
export type ActivityDeps = Service;
