import { hasS3Server, type S3Server, startS3Server } from '@svc/testkit';
import { createS3Client, readText, TIMEOUTS } from '../../apps/store/src/adapters/s3/s3-client.ts';
import { startMemoryS3 } from './memory-s3.ts';
import { startTorturedPostgres } from './postgres.ts';
import { type Backend, type BackendName, postgresBackend, s3Backend, sqliteBackend } from './site.ts';

/** The back ends of a run, with their servers. */
export type Opened = {
  backends: Backend[];
  /** What is missing on this machine, in sentences. */
  missing: string[];
  close(): Promise<void>;
};

/** Creates the bucket that all sites of a run share. */
export async function makeBucket({ endpoint, accessKeyId, secretAccessKey }: S3Server): Promise<void> {
  const settings = {
    endpoint,
    region: 'us-east-1',
    bucket: 'apps',
    prefix: '',
    accessKeyId,
    secretAccessKey,
  };
  await createS3Client(settings, TIMEOUTS).send({ method: 'PUT', key: '', accept: [200] }, readText);
}

async function startS3(): Promise<S3Server> {
  const s3 = hasS3Server() ? await startS3Server() : await startMemoryS3();
  await makeBucket(s3);
  return s3;
}

/** Starts the servers of the back ends: PostgreSQL, and a real S3 server where it is installed. */
export async function openBackends(names: readonly BackendName[]): Promise<Opened> {
  const closing: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const end of closing.reverse()) await end();
  };
  try {
    const backends: Backend[] = names.includes('sqlite') ? [sqliteBackend] : [];
    if (names.every((name) => name === 'sqlite')) return { backends, missing: [], close };
    const postgres = await startTorturedPostgres();
    closing.push(postgres.close);
    if (names.includes('postgres')) backends.push(postgresBackend(postgres));
    if (!names.includes('s3')) return { backends, missing: [], close };
    const s3 = await startS3();
    closing.push(s3.stop);
    const missing = hasS3Server() ? [] : ['radosgw is not installed: using an in-memory S3 server.'];
    return { backends: [...backends, s3Backend(postgres, s3)], missing, close };
  } catch (error) {
    await close();
    throw error;
  }
}
