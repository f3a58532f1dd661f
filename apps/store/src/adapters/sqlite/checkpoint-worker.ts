import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

// Brings what was committed from the log into the database itself, on a connection of its own, in a thread in which it
// may wait for the disk as long as it takes. PASSIVE keeps neither readers nor writers waiting.
const { file } = workerData as { file: string };
const database = new DatabaseSync(file, { timeout: 0 });

parentPort?.on('message', () => {
  database.exec('pragma wal_checkpoint(passive)');
  parentPort?.postMessage('done');
});
