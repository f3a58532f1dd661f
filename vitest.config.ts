import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { keepTemporaryFilesInMemory } from './scripts/memory-folder.ts';
import { BOTH_DATABASES_TAG, DEEP_TAG, PROJECTS, WILD_TAG } from './scripts/test-projects.ts';

const SUPPORT = 'apps/store/test/support';

keepTemporaryFilesInMemory();

/** Whether this run leaves out the deep tests: property tests then try a share of their inputs (`runs()` of the testkit). */
const isQuick = process.argv.includes(`!${DEEP_TAG}`);

export default defineConfig({
  test: {
    ...(isQuick && { env: { SVC_TEST_QUICK: '1' } }),
    reporters: ['default', './scripts/totals-reporter.ts'],
    // Tests often wait for disks, servers, leases and other processes: of two processors four workers use what two leave.
    maxWorkers: Math.max(4, availableParallelism()),
    // No test changes a module or a global for the next, so that each worker imports them once, which is half of the time.
    isolate: false,
    // Most of what a test makes is garbage when it ends: a larger young generation copies and marks less of it.
    execArgv: ['--max-semi-space-size=64'],
    // Node runs the sources itself, as it does for users: no transform, and no second loader between a test and what ships.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Longer than anything within a test waits, so that the report names what a test waited for.
    testTimeout: 90_000,
    // What is sure to happen may take long on a busy machine; `eventually` of the testkit waits as long.
    expect: { poll: { timeout: 60_000, interval: 20 } },
    hookTimeout: 120_000,
    tags: [
      {
        name: DEEP_TAG,
        description: 'long: `npm test` leaves it to `npm run test:deep`',
        // Some start a process for each of hundreds of archives.
        timeout: 300_000,
      },
      { name: BOTH_DATABASES_TAG, description: 'runs on PostgreSQL too in `npm test`' },
      { name: WILD_TAG, description: 'with servers of others, as programs' },
    ],
    setupFiles: ['./scripts/seed-tests.ts', './scripts/fail-on-faults.ts'],
    projects: PROJECTS.map(({ name, include, exclude, onPostgres }) => ({
      extends: true as const,
      test: {
        name,
        include,
        exclude: ['**/node_modules/**', ...exclude],
        ...(onPostgres && {
          globalSetup: `${SUPPORT}/postgres-server.ts`,
          setupFiles: [`${SUPPORT}/require-postgres.ts`],
        }),
      },
    })),
  },
});
