import type { Run } from '../parts/run.ts';
import * as texts from '../texts/index.ts';

const names: Readonly<Record<string, string>> = texts.runs.made.counts;

/** What a run says that it made: each kind of run has an output of its own. */
export function madeBy(output: NonNullable<Run['output']>) {
  const { tableId, materialized, reportId, reportIds, fileId, fileIds, exportId, ...others } = output;
  const built = listed(materialized).map((table) =>
    typeof table === 'object' && table !== null && 'tableId' in table ? table.tableId : undefined,
  );
  return {
    tableIds: ids([tableId, ...built]),
    reportIds: ids([reportId, ...listed(reportIds)]),
    fileIds: ids([fileId, ...listed(fileIds)]),
    exportId: typeof exportId === 'string' ? exportId : undefined,
    counts: Object.entries(others).flatMap(([name, value]) =>
      typeof value === 'number' || typeof value === 'string'
        ? [[names[name] ?? name, typeof value === 'number' ? value.toLocaleString() : value] as const]
        : [],
    ),
  };
}

const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const ids = (values: readonly unknown[]): string[] => [
  ...new Set(values.filter((value) => typeof value === 'string')),
];
