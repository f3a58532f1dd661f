// Opens the runtime, here and in a worker thread.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread, Worker } from 'node:worker_threads';
import { openRuntime } from '@svc/runtime';

const folder = mkdtempSync(join(process.env.HOME ?? tmpdir(), 'runtime-'));
const ask = async () => ({ answer: 'no' });
const runtime = await openRuntime({ folder, store: 'http://localhost:9', ask, onFault: () => {} });
assert.deepEqual(runtime.library.list(), []);
await runtime.close();

if (isMainThread) {
  const [code] = await once(new Worker(new URL(import.meta.url)), 'exit');
  assert.equal(code, 0);
}
