import type { Session } from './session.ts';

/** Something that a tenant can do repeatedly with its own credentials. */
export interface Attack {
  name: string;
  /** Concurrency. */
  atOnce: number;
  /** Creates what the attack needs, and returns one step of it. A step returns its answer, for the report. */
  prepare(session: Session): Promise<(count: number) => Promise<string | number>>;
}
