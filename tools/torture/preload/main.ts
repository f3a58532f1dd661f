// Loaded into a store before the store itself (`node --import`): counts every access to files, databases and S3, and injects faults.
// It does nothing until the parent process sends a command.
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
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

/** Leads connections to the receiver of webhooks of an experiment, which has a name, to its port on this machine. */
function leadToReceiver(name: string, port: number): void {
  type Target = { host?: string; lookup?: unknown };
  const sockets = Socket.prototype as unknown as { connect(this: Socket, ...words: unknown[]): Socket };
  const { connect } = sockets;
  sockets.connect = function (target, ...more) {
    const given = target as Target;
    if (given?.host !== name) return connect.call(this, target, ...more);
    // The store looks at the address once more: it is one inside the company.
    Object.defineProperty(this, 'remoteAddress', { value: '10.0.0.1' });
    const { lookup: _asked, ...rest } = given;
    return connect.call(this, { ...rest, host: '127.0.0.1', port }, ...more);
  };
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
  const { SVC_TORTURE_RECEIVER: receiver } = process.env;
  if (receiver) {
    const { hostname, port } = new URL(receiver);
    leadToReceiver(hostname, Number(port));
  }
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
