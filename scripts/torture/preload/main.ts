// Loaded into a store before the store itself (`node --import`): every step by which it reaches files, databases or S3 can
// be counted, and struck. It does nothing until it is told to, over the channel of the process that started it.
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

const tell = (reply: Reply): void => void process.send?.(reply);

// The threads that open bundles only read; they die with the process.
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
    if ('memory' in command) void measureMemory().then((memory) => tell({ memory }));
    else tell('report' in command ? disarm() : { ready: true });
  });
  // A clock that is wrong from the start, in milliseconds.
  if (process.env.SVC_TORTURE_SHIFT_MS) shiftClock(Number(process.env.SVC_TORTURE_SHIFT_MS));
  // Being told things is no reason to stay alive.
  process.channel?.unref();
} else if (!isMainThread) {
  collectWhenAsked();
}
