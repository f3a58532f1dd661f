import { setPriority } from 'node:os';
import { join } from 'node:path';
import { hasS3Server, startS3Server } from '@svc/testkit';
import { startPostgres } from '@svc/testkit/postgres-server';
import { type Running, whileStoreRuns } from './processes.ts';

/** The storage of a store. */
export type Backend = 'SQLite and disk' | 'PostgreSQL and S3';

/** Durable commits, as in production; otherwise defaults. */
const POSTGRES_SETTINGS = ['fsync=on', 'synchronous_commit=on'];

/** Runs these servers with lower priority: in production they have their own machines. */
const NICENESS = 15;

async function whileServersRun<T>(work: (env: Record<string, string>) => Promise<T>): Promise<T> {
  if (!hasS3Server()) throw new Error('No S3 server found: install radosgw, ceph-mon and ceph-osd.');
  const postgres = await startPostgres(POSTGRES_SETTINGS);
  // Its child processes inherit the priority.
  setPriority(postgres.pid(), NICENESS);
  const s3 = await startS3Server({ niceness: NICENESS });
  try {
    return await work({
      DATABASE_URL: `${postgres.url}postgres`,
      SVC_BLOBS: `s3://${s3.bucket}?endpoint=${s3.endpoint}`,
      AWS_ACCESS_KEY_ID: s3.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
    });
  } finally {
    await s3.stop();
    await postgres.close();
  }
}

/** Runs work with a store on one of the back ends, with its own servers. */
export function whileStoreRunsOn<T>(
  backend: Backend,
  folder: string,
  work: (store: Running) => Promise<T>,
): Promise<T> {
  const data = join(folder, 'data');
  if (backend === 'SQLite and disk') return whileStoreRuns(data, work);
  return whileServersRun((env) => whileStoreRuns(data, work, env));
}
