import { test } from 'vitest';
import { readDamagedPages } from './scan.ts';

test('the quick reading of a page never takes a damaged page that JSON refuses', () =>
  readDamagedPages(20_000));
