import type { Reporter, TestCase, TestModule } from 'vitest/node';

const reasonOf = (test: TestCase): string => {
  const result = test.result();
  return ('note' in result && result.note) || 'no reason given';
};

/** Ends a run with what was skipped and why, and the totals in one line that other programs can read. */
export default class TotalsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    for (const test of tests.filter((one) => one.result().state === 'skipped')) {
      process.stdout.write(`skipped: ${test.fullName}: ${reasonOf(test)}\n`);
    }
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const failed = count('failed') + broken;
    // A library that ends the process on its own terms, as one that stops a database does, must not call a failure success.
    if (failed > 0) process.on('exit', () => (process.exitCode = 1));
    process.stdout.write(`${count('passed')} passed, ${failed} failed, ${count('skipped')} skipped\n`);
  }
}
