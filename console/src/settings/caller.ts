import type { components } from '../../../clients/typescript/src/index.ts';

/** Of what depends on who looks at it. */
export interface OfCaller {
  me: components['schemas']['Me'];
}
