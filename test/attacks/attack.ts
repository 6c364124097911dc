import type { Session } from './session.ts';

/** Something a tenant can do with its own credentials, again and again. */
export interface Attack {
  name: string;
  /** So many at once. */
  atOnce: number;
  /** Makes what it needs, and gives what is done once. It returns what it was answered, for the report. */
  prepare(session: Session): Promise<(count: number) => Promise<string | number>>;
}
