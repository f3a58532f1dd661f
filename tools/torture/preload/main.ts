// Loaded into a store before the store itself (`node --import`): counts every access to files, databases and S3, and injects faults.
// It does nothing until the parent process sends a command.
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import { isMainThread } from 'node:worker_threads';
import { shiftClock } from './clock.ts';
import { patchPostgres, patchSqlite } from './databases.ts';
import { patchFiles } from './files.ts';
import { collectWhenAsked, measureMemory, writeSnapshot } from './memory.ts';
import { arm, around, type Command, disarm, type Reply } from './strike.ts';

function patchS3(): void {
  const original = globalThis.fetch;
  globalThis.fetch = (input, init) =>
    around(`s3 ${init?.method ?? 'GET'}`, {
      run: () => original(input, init),
      fail: () => new TypeError('fetch failed'),
    });
}

const send = (reply: Reply): void => void process.send?.(reply);

// Threads that open bundles only read; they die with the process.
if (isMainThread && process.send) {
  await patchFiles();
  const memory = new DatabaseSync(':memory:');
  patchSqlite(memory.prepare('select 1'));
  memory.close();
  patchPostgres();
  patchS3();
  syncBuiltinESMExports();
  process.on('message', (command: Command) => {
    if ('order' in command) arm(command.order);
    if ('shiftMs' in command) shiftClock(command.shiftMs);
    if ('snapshot' in command) writeSnapshot(command.snapshot);
    if ('memory' in command) void measureMemory().then((memory) => send({ memory }));
    else send('report' in command ? disarm() : { ready: true });
  });
  // A clock shift from the start, in milliseconds.
  if (process.env.SVC_TORTURE_SHIFT_MS) shiftClock(Number(process.env.SVC_TORTURE_SHIFT_MS));
  // The channel must not keep the process alive.
  process.channel?.unref();
} else if (!isMainThread) {
  collectWhenAsked();
}
