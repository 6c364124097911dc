import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take half a minute or more: if started last, one of them would keep a single core busy at the
 * end.
 */
const longest = [
  'workflows/a-year',
  'faults/faults',
  'api/intake/datasets/http-replication',
  'docs/tour',
  'domain/tables/query/hostile',
  'workflows/schedule-year',
  'faults/approval-restart',
  'data/lake/lost-connections',
  'domain/analyst/conversations/sequences',
  'api/intake/ingestion-batches',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((left, right) => rankOf(left) - rankOf(right));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return rank === -1 ? longest.length : rank;
}
