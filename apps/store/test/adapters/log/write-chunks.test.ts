import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const MODULE = pathToFileURL(join(import.meta.dirname, '../../../src/adapters/log/write-chunks.ts')).href;

/** Runs a program with `writeChunks`; its standard output is a pipe that is read only when `readAll` is called. */
function run(work: string) {
  const program = `import { writeChunks } from ${JSON.stringify(MODULE)};
    import { closeSync, openSync } from 'node:fs';
    import { setTimeout as sleep } from 'node:timers/promises';
    ${work}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    // Node makes a pipe of standard output non-blocking; not the last, to which a write waits for its reader.
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  }) as ChildProcessByStdio<null, Readable, Readable>;
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  return { child, said: () => said, exit: once(child, 'exit') };
}

it('drops and counts what a full disk refuses, and says so when it can be written again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'log');
  const { exit, said } = run(`
    const fd = openSync('/dev/full', 'w');
    const chunks = writeChunks(fd, (dropped) => chunks.write(Buffer.from('dropped ' + dropped + '\\n')));
    for (let n = 0; n < 100; n += 1) chunks.write(Buffer.from('a line\\nanother\\n'));
    while (chunks.dropped() < 200) await sleep(5);
    closeSync(fd);
    if (openSync(${JSON.stringify(file)}, 'w') !== fd) throw new Error('another descriptor');
    chunks.write(Buffer.from('first\\n'));
    await sleep(100);
    chunks.write(Buffer.from('last\\n'));
    chunks.end();`);
  expect([await exit, said()]).toEqual([[0, null], '']);
  expect(readFileSync(file, 'utf8')).toBe('first\ndropped 200\nlast\n');
});

it('keeps at most 4 MiB for a reader that stopped, and lets the process end', async () => {
  const { child, exit, said } = run(`
    const chunks = writeChunks(process.stdout.fd, () => {});
    const line = Buffer.from('x'.repeat(16_383) + '\\n');
    for (let n = 0; n < 600; n += 1) chunks.write(line);
    await sleep(50);
    process.stderr.write(String(chunks.dropped()));
    process.on('exit', chunks.end);`);
  expect(await exit).toEqual([0, null]);
  // 256 wait; what the pipe took is written.
  expect(Number(said())).toBeGreaterThan(300);
  expect(Number(said())).toBeLessThan(344);
  child.stdout.resume();
});

it('ends the process by a signal where the thread that writes is stuck, for which an exit would wait for ever', async () => {
  const { exit } = run(`
    const chunks = writeChunks(3, () => {});
    for (let n = 0; n < 600; n += 1) chunks.write(Buffer.from('x'.repeat(16_383) + '\\n'));
    await sleep(1_500);
    process.on('exit', chunks.end);
    process.exit();`);
  expect(await exit).toEqual([null, 'SIGKILL']);
});

it('loses nothing to a slow reader', async () => {
  const { child, exit } = run(`
    const chunks = writeChunks(process.stdout.fd, () => {});
    for (let n = 0; n < 200; n += 1) chunks.write(Buffer.from(String(n).padStart(8_191, ' ') + '\\n'));
    await sleep(2_000);`);
  const text: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (piece) => text.push(piece));
  await Promise.all([exit, once(child.stdout, 'close')]);
  const lines = text.join('').split('\n').slice(0, -1).map(Number);
  expect(lines).toEqual(Array.from({ length: 200 }, (_, n) => n));
});
