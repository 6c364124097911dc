import { expect, test } from 'vitest';
import { corpus, obeyInjections } from './injections.ts';

test('there are fifty', () => expect(corpus).toHaveLength(50));

obeyInjections(5);
