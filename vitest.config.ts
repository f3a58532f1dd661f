import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{packages,apps}/*/test/**/*.test.ts', 'testkit/test/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', './scripts/totals-reporter.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
