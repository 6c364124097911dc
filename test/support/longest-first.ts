import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { readDurations } from './durations.ts';

/** The longest file first: if started last, it would keep a single core busy at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = readDurations();
    const of = ({ moduleId, project }: TestSpecification) =>
      seconds[moduleId.slice(project.config.root.length + 1)] ?? 0;
    return (await super.sort(files)).toSorted((left, right) => of(right) - of(left));
  }
}
