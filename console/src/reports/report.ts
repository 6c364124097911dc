import type { components } from '../../../clients/typescript/src/index.ts';

export type Report = components['schemas']['Report'];

export interface OfReport {
  report: Report;
  /** Which is read. */
  revision: number;
}
