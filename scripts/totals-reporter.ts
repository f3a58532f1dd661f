import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';
import { DEEP_TAG, filesOf, LEFT_TO_DEEP, PROJECTS } from './test-projects.ts';

/** Where a test stands: its groups, from the inside out. */
function* groupsOf(test: TestCase): Iterable<TestSuite> {
  for (let parent = test.parent; parent.type === 'suite'; parent = parent.parent) yield parent;
}

/**
 * Why a test was skipped: what it said as it ran, what it or a group around it needs, or that a group could not begin. Null when
 * nothing says why.
 */
function reasonOf(test: TestCase): string | null {
  const result = test.result();
  if ('note' in result && result.note) return result.note;
  const said = test.meta().needs ?? [...groupsOf(test)].find((group) => group.meta().needs)?.meta().needs;
  if (said !== undefined) return said;
  const failed = [...groupsOf(test), test.module].find((around) => around.errors().length > 0);
  return failed ? 'what its group begins with failed' : null;
}

/** One line about what failed: where it is, and the first line of what it said. */
function failureOf(failed: TestCase | TestSuite | TestModule): string {
  const module = failed.type === 'module' ? failed : failed.module;
  const errors = failed.type === 'test' ? failed.result().errors : failed.errors();
  const name = failed.type === 'module' ? '' : ` > ${failed.fullName}`;
  return `FAILED: ${module.relativeModuleId}${name}: ${errors?.[0]?.message.split('\n')[0]}`;
}

/** The projects of `npm run test:servers`. */
const SERVERS = PROJECTS.filter(({ name }) => name === 'programs' || name === 'postgres');

/**
 * Ends a run with what was skipped and why, and the totals in one line that other programs can read. A test that is skipped
 * without a reason fails the run, unless the run was asked for other tests only. Deep tests that the run leaves out count for themselves.
 */
export default class TotalsReporter implements Reporter {
  #isPartial = false;
  #leavesDeep = false;
  #projects: string[] = [];

  onInit({ config, projects }: Pick<Vitest, 'config' | 'projects'>): void {
    this.#isPartial = config.testNamePattern !== undefined;
    this.#leavesDeep = config.tagsFilter !== undefined;
    this.#projects = projects.map(({ name }) => name);
  }

  /** Names what the ring within one process leaves to the next one. */
  #reportServers(): void {
    if (!this.#projects.includes('sqlite') || this.#projects.includes('programs')) return;
    const files = new Set(SERVERS.flatMap(({ include }) => filesOf(include)));
    process.stdout.write(
      `left to npm run test:servers: ${files.size} files that need programs, browsers or PostgreSQL\n`,
    );
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    const isDeep = (test: TestCase): boolean =>
      this.#leavesDeep && (test.tags.includes(DEEP_TAG) || reasonOf(test) === LEFT_TO_DEEP);
    const deep = tests.filter(isDeep);
    const skipped = tests.filter((test) => test.result().state === 'skipped' && !isDeep(test));
    const silent = this.#isPartial ? [] : skipped.filter((test) => reasonOf(test) === null);
    for (const test of skipped) {
      const reason = reasonOf(test);
      if (reason !== null) process.stdout.write(`skipped: ${test.fullName}: ${reason}\n`);
    }
    for (const test of silent) {
      process.stdout.write(
        `FAILED: ${test.fullName} is skipped without a reason: use needs() of the testkit\n`,
      );
    }
    if (silent.length > 0) process.exitCode = 1;
    const broken = modules
      .flatMap((module) => [module, ...module.children.allSuites()])
      .filter((group) => group.errors().length > 0);
    const wrong = tests.filter((test) => test.result().state === 'failed');
    const failed = wrong.length + broken.length + silent.length;
    for (const each of [...wrong, ...broken]) process.stdout.write(`${failureOf(each)}\n`);
    const left = skipped.length - silent.length;
    this.#reportServers();
    if (deep.length > 0) process.stdout.write(`left to npm run test:deep: ${deep.length} tests\n`);
    process.stdout.write(`${count('passed')} passed, ${failed} failed, ${left} skipped\n`);
  }
}
