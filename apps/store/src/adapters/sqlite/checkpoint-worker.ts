import { parentPort, workerData } from 'node:worker_threads';
import { openPrivateSqlite } from '@svc/bundle/private-files';

// Checkpoints the log on its own connection, in a thread that may wait for the disk. PASSIVE blocks neither readers nor writers.
const { file } = workerData as { file: string };
const database = openPrivateSqlite(file, { timeout: 0 });

parentPort?.on('message', () => {
  database.exec('pragma wal_checkpoint(passive)');
  parentPort?.postMessage('done');
});
