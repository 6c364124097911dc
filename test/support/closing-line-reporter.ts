import type { Reporter, TestModule } from 'vitest/node';

/** Ends the output with one plain line, for people and scripts: `N passed, N failed`. */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    // A file that cannot be loaded has no tests to count, and an error outside any test is a failure too.
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const failed = count('failed') + broken + unhandledErrors.length;
    const skipped = count('skipped');
    const line = `${count('passed')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    // After the output of the other reporters and of a global teardown.
    process.once('exit', () => process.stdout.write(`${line}\n`));
  }
}
