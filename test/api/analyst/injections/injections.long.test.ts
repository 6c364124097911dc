import { obeyInjections } from './injections.ts';

obeyInjections(1);
