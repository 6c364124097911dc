import type { Reporter, TestModule } from 'vitest/node';
import { recordDurations } from './durations.ts';

/** Writes how long each file took to `test/durations.json`, by which the next runs order them. */
export default class DurationsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const seconds = (module: TestModule) => {
      const { duration, collectDuration, setupDuration } = module.diagnostic();
      return (duration + collectDuration + setupDuration) / 1_000;
    };
    recordDurations(Object.fromEntries(modules.map((module) => [module.relativeModuleId, seconds(module)])));
  }
}
