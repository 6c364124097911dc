import { expect, test } from 'vitest';
import {
  effectiveSet,
  type OverlaySource,
  type TestedTable,
  type TestSource,
} from '../../../../domain/tables/verification/effective-set.ts';
import { compilePattern } from '../../../../domain/tables/verification/name-patterns.ts';
import { isFlapping } from '../../../../domain/tables/verification/table-state.ts';

const table = (id: string, more: Partial<TestedTable> = {}): TestedTable => ({
  ...{ id, name: id, projectIds: [], modelingTier: 'raw' },
  ...more,
});

const definition = (id: string, more: Partial<TestSource> = {}): TestSource => ({
  ...{ id, name: id, kind: 'row_count', params: { min: 1 }, target: { selector: {} } },
  ...{ severity: 'error', blocking: false, enabled: true, keepRows: true, definedBy: 'usr_1' },
  ...more,
});

const overlay = (id: string | null, more: Partial<OverlaySource> = {}): OverlaySource => ({
  ...{ id, definitionId: 'd', projectId: null, tableId: null, enabled: null, severity: null, blocking: null },
  ...{ params: undefined, priority: 0, createdAtMs: 1 },
  ...more,
});

const one = async (overlays: OverlaySource[], tables = [table('t', { projectIds: ['p', 'q'] })]) =>
  (await effectiveSet(tables, [definition('d')], overlays)).tests[0]!;

test('selectors are all of what they say, and tell where they select nothing', async () => {
  const tables = [
    table('Orders_2025', { modelingTier: 'curated', projectIds: ['p'] }),
    table('orders_2026', { modelingTier: 'raw', projectIds: ['p'] }),
    table('customers'),
  ];
  const matched = async (selector: object) => {
    const { tests, unmatched } = await effectiveSet(tables, [definition('d', { target: { selector } })], []);
    expect(unmatched).toEqual(tests.length === 0 ? ['d'] : []);
    return tests.map(({ tableId }) => tableId);
  };
  expect(await matched({})).toEqual(['Orders_2025', 'orders_2026', 'customers']);
  expect(await matched({ namePattern: '^orders_' })).toEqual(['Orders_2025', 'orders_2026']);
  expect(await matched({ namePattern: '6$', projectId: 'p' })).toEqual(['orders_2026']);
  expect(await matched({ modelingTier: 'curated', projectId: 'p' })).toEqual(['Orders_2025']);
  expect(await matched({ modelingTier: 'certified' })).toEqual([]);
  // A pattern that would take exponential time where a matcher goes back.
  expect(await matched({ namePattern: '(a+)+$' })).toEqual([]);
});

test('of overlays the table beats the project and that the organization, then priority, then the newer', async () => {
  const all = overlay('all', { severity: 'warn', enabled: false, priority: 9 });
  const project = overlay('project', { projectId: 'p', severity: 'error', createdAtMs: 5 });
  const own = overlay('own', { tableId: 't', blocking: true });
  expect(await one([all, project, own])).toMatchObject({
    ...{ enabled: false, severity: 'error', blocking: true },
    provenance: [
      { field: 'enabled', source: 'overlay', id: 'all' },
      { field: 'severity', source: 'overlay', id: 'project' },
      { field: 'blocking', source: 'overlay', id: 'own' },
      { field: 'params.min', source: 'definition', id: 'd' },
    ],
  });
  const higher = overlay('higher', { projectId: 'q', severity: 'warn', priority: 1 });
  expect(await one([project, higher])).toMatchObject({ severity: 'warn' });
  const newer = overlay('newer', { projectId: 'q', severity: 'warn', createdAtMs: 6 });
  expect(await one([project, newer])).toMatchObject({ severity: 'warn' });
  const unsaved = overlay(null, { projectId: 'q', severity: 'error', createdAtMs: 0 });
  expect(await one([newer, unsaved])).toMatchObject({ severity: 'error' });
  const elsewhere = [
    overlay('x', { tableId: 'other', severity: 'warn' }),
    overlay('y', { projectId: 'r', severity: 'warn' }),
  ];
  expect(await one(elsewhere)).toMatchObject({ severity: 'error' });
});

test('patterns that would take long, and more tests than anybody could look at, are refused', async () => {
  expect(() => compilePattern('(?:[a-z]?){900}(?:[a-z]?){900}')).toThrow('too large');
  const many = Array.from({ length: 400 }, (_, n) => table(`t${n}`));
  const definitions = Array.from({ length: 400 }, (_, n) => definition(`d${n}`));
  await expect(effectiveSet(many, definitions, [])).rejects.toThrow('more than 100,000 tests');
});

test('parameters are merged key by key', async () => {
  const merged = await one([
    overlay('all', { params: { min: 2, max: 9 } }),
    overlay('own', { tableId: 't', params: { min: 3 } }),
  ]);
  expect(merged.params).toEqual({ min: 3, max: 9 });
  expect(merged.provenance).toContainEqual({ field: 'params.max', source: 'overlay', id: 'all' });
});

test('a test flaps that changes sides five times in its last ten runs', () => {
  const turns = (text: string) =>
    [...text].map((letter) => ({ status: letter === '+' ? ('passed' as const) : ('failed' as const) }));
  expect(isFlapping(turns('+-+-+-'))).toBe(true);
  expect(isFlapping(turns('+-+-+'))).toBe(false);
  expect(isFlapping(turns('++++++++++-+-+-+-+-'))).toBe(false);
});
