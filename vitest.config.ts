import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { keepTemporaryFilesInMemory } from './scripts/memory-folder.ts';

const STORE = 'apps/store/test';

/** The tests of the store that go down to its database; they run on SQLite with all others, and again on PostgreSQL. */
const ON_BOTH = [
  'adapters/database',
  'audit',
  'people',
  'catalog',
  'mail',
  'moderation',
  'publishers',
  'publishing',
  'tokens',
  'revocations',
  'operations',
  'relay',
  'installs',
  'ratings',
]
  .map((folder) => `${STORE}/${folder}/**/*.test.ts`)
  .concat('test/relay.test.ts');
const ON_POSTGRES_ALONE = [
  `${STORE}/adapters/postgres/**/*.test.ts`,
  'test/many-processes.test.ts',
  'test/torture/postgres.test.ts',
];

/**
 * All that needs no PostgreSQL. Each has workers of its own: one that has run some hundred files holds so much that collecting
 * its garbage is most of what it does.
 */
const ON_ANY = {
  libraries: ['packages/*/test/**/*.test.ts', 'testkit/test/**/*.test.ts'],
  store: [`${STORE}/**/*.test.ts`],
  programs: ['apps/{cli,web,desktop}/test/**/*.test.ts', 'examples/*/test/**/*.test.ts'],
  whole: ['test/**/*.test.ts'],
};

keepTemporaryFilesInMemory();

export default defineConfig({
  test: {
    reporters: ['default', './scripts/totals-reporter.ts'],
    // Vitest leaves a processor to itself, which of two is half; the tests mostly wait for disks, servers and other processes.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // No test changes a module or a global for the next, so that each worker imports them once, which is half of the time.
    isolate: false,
    // Longer than anything within a test waits, so that what it waited for in vain is what the report names.
    testTimeout: 90_000,
    // What is sure to happen may take long on a busy machine; `eventually` of the testkit waits as long.
    expect: { poll: { timeout: 60_000, interval: 20 } },
    hookTimeout: 120_000,
    setupFiles: ['./scripts/seed-tests.ts'],
    projects: [
      ...Object.entries(ON_ANY).map(([name, include]) => ({
        extends: true as const,
        test: { name, include, exclude: ['**/node_modules/**', ...ON_POSTGRES_ALONE] },
      })),
      {
        extends: true,
        test: {
          name: 'postgres',
          include: [...ON_BOTH, ...ON_POSTGRES_ALONE],
          globalSetup: `${STORE}/support/postgres-server.ts`,
          setupFiles: [`${STORE}/support/require-postgres.ts`],
        },
      },
    ],
  },
});
