import { expect, test } from 'vitest';
import {
  effectiveSet,
  type OverlaySource,
  type TestedTable,
  type TestSource,
} from '../../../../domain/tables/verification/effective-set.ts';
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

const one = (overlays: OverlaySource[], tables = [table('t', { projectIds: ['p', 'q'] })]) =>
  effectiveSet(tables, [definition('d')], overlays).tests[0]!;

test('selectors are all of what they say, and tell where they select nothing', () => {
  const tables = [
    table('Orders_2025', { modelingTier: 'curated', projectIds: ['p'] }),
    table('orders_2026', { modelingTier: 'raw', projectIds: ['p'] }),
    table('customers'),
  ];
  const matched = (selector: object) => {
    const { tests, unmatched } = effectiveSet(tables, [definition('d', { target: { selector } })], []);
    expect(unmatched).toEqual(tests.length === 0 ? ['d'] : []);
    return tests.map(({ tableId }) => tableId);
  };
  expect(matched({})).toEqual(['Orders_2025', 'orders_2026', 'customers']);
  expect(matched({ namePattern: '^orders_' })).toEqual(['Orders_2025', 'orders_2026']);
  expect(matched({ namePattern: '6$', projectId: 'p' })).toEqual(['orders_2026']);
  expect(matched({ modelingTier: 'curated', projectId: 'p' })).toEqual(['Orders_2025']);
  expect(matched({ modelingTier: 'certified' })).toEqual([]);
  // A pattern that would take exponential time where a matcher goes back.
  expect(matched({ namePattern: '(a+)+$' })).toEqual([]);
});

test('of overlays the table beats the project and that the organization, then priority, then the newer', () => {
  const all = overlay('all', { severity: 'warn', enabled: false, priority: 9 });
  const project = overlay('project', { projectId: 'p', severity: 'error', createdAtMs: 5 });
  const own = overlay('own', { tableId: 't', blocking: true });
  expect(one([all, project, own])).toMatchObject({
    ...{ enabled: false, severity: 'error', blocking: true },
    provenance: [
      { field: 'enabled', source: 'overlay', id: 'all' },
      { field: 'severity', source: 'overlay', id: 'project' },
      { field: 'blocking', source: 'overlay', id: 'own' },
      { field: 'params.min', source: 'definition', id: 'd' },
    ],
  });
  const higher = overlay('higher', { projectId: 'q', severity: 'warn', priority: 1 });
  expect(one([project, higher])).toMatchObject({ severity: 'warn' });
  const newer = overlay('newer', { projectId: 'q', severity: 'warn', createdAtMs: 6 });
  expect(one([project, newer])).toMatchObject({ severity: 'warn' });
  const unsaved = overlay(null, { projectId: 'q', severity: 'error', createdAtMs: 0 });
  expect(one([newer, unsaved])).toMatchObject({ severity: 'error' });
  const elsewhere = [
    overlay('x', { tableId: 'other', severity: 'warn' }),
    overlay('y', { projectId: 'r', severity: 'warn' }),
  ];
  expect(one(elsewhere)).toMatchObject({ severity: 'error' });
});

test('parameters are merged key by key', () => {
  const merged = one([
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
