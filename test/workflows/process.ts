import { ApplicationFailure } from '@temporalio/common';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
export const yearMs = 366 * dayMs;

// biome-ignore lint/suspicious/noExplicitAny: activities of all processes.
export type Step = (...given: any[]) => Promise<unknown>;

/** The time by the skipping clock. */
export type Clock = () => Promise<number>;

/** A process with the activities that keep it going as long as it can. */
export interface Life {
  input: object;
  /** On all queues. */
  activities: Record<string, Step>;
  /** Its minimum lifetime. */
  leastMs: number;
}

/** A process with activities that fail. */
export interface Failure {
  input: object;
  activities: Record<string, Step>;
  /** What its failure must contain. */
  told: { what: string; code: string; advice: string; address?: string };
  /** For a process that continues after a failure: its details report it. */
  goesOn?: true;
}

/** What tests of all processes need to know of one. */
export type TestedProcess = {
  /** Its workflow type. */
  type: string;
  /** Its longest life, at most a year. */
  life(clock: Clock): Promise<Life> | Life;
  /** Its longest life has few steps, so that the short tests have it too. */
  isQuick?: true;
} & ({ failure: Failure } | { neverFails: string });

export const organizationId = 'org_test';
/** The address of what a failing process serves. */
export const address = '/v1/somewhere/it_1';
export const nothing = async () => undefined;

/** A customer's value, which no failure shows. */
export const secret = 'Row 7 says "hunter2".';
export const refused = (code: string) => async () => {
  throw ApplicationFailure.create({ type: code, message: secret, nonRetryable: true });
};

/** Returns the first until that much time has passed since the first call, and then the second. */
export function after<T>(clock: Clock, ms: number, before: () => T, then: () => T): () => Promise<T> {
  let firstMs: number | undefined;
  return async () => {
    const nowMs = await clock();
    firstMs ??= nowMs;
    return nowMs - firstMs < ms ? before() : then();
  };
}
