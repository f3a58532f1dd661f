import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { packedSample } from '@svc/testkit';
import { startPostgres } from '@svc/testkit/postgres-server';
import type { Figure } from './lib/figure.ts';
import { automationAt, inTempFolder, PUBLISHER, ROOT, whileStoreRuns } from './lib/processes.ts';

/** Versions of the migrated store; fewer to test the measurement itself. */
const VERSIONS = Number(process.env.SVC_BENCH_VERSIONS ?? 10_000);
const VERSIONS_OF_APP = 10;
const LANES = 4;

/** Durable commits, as in production. */
const POSTGRES_SETTINGS = ['fsync=on', 'synchronous_commit=on'];

/** Publishes as many versions as are measured, a few apps at a time. */
async function fill(data: string): Promise<void> {
  await whileStoreRuns(data, async ({ url }) => {
    const automation = automationAt(url);
    await automation.addPublisher(PUBLISHER);
    let next = 0;
    const lane = async () => {
      for (let app = next++; app * VERSIONS_OF_APP < VERSIONS; app = next++) {
        const about = { id: `com.example.app${app}`, name: `App ${app}` };
        for (let minor = 0; minor < VERSIONS_OF_APP; minor += 1)
          await automation.publish(packedSample({ ...about, version: `1.${minor}.0` }));
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  });
}

/** `svc-store migrate-to` from SQLite to PostgreSQL: rows copied, every one compared, every byte read, every signature verified. */
export function migrateTo(): Promise<Figure> {
  return inTempFolder(async (folder) => {
    const data = join(folder, 'data');
    await fill(data);
    const postgres = await startPostgres(POSTGRES_SETTINGS);
    try {
      const words = [join(ROOT, 'apps/store/src/main.ts'), 'migrate-to', `${postgres.url}postgres`];
      const env = { PATH: process.env.PATH, SVC_DATA_DIR: data };
      const begun = performance.now();
      // It fails when a row differs, a byte is wrong or a signature does not verify.
      const { status, stderr } = spawnSync(process.execPath, words, { env, encoding: 'utf8' });
      const minutes = (performance.now() - begun) / 60_000;
      const [, said = ''] = stderr.split('The store was moved: ');
      const [rows, versions] = said.split(' ').filter((word) => Number(word) > 0);
      if (status !== 0 || Number(versions) < VERSIONS) throw new Error(stderr);
      return {
        name: `\`svc-store migrate-to\` of ${VERSIONS} versions from SQLite to PostgreSQL, compared and verified`,
        measured: `${rows} rows, 0 differences, ${Math.round(VERSIONS / minutes / 60)} versions per second`,
        value: minutes,
        unit: ' min',
        bound: { most: 5 },
      };
    } finally {
      await postgres.close();
    }
  });
}
