import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readlink, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { needs } from '@svc/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { streamFile } from '../../../src/adapters/disk/stream-file.ts';

const SIZE = 1_000_000;
const CONTENT = Buffer.from(Array.from({ length: SIZE }, (_, n) => n * 7));

async function fileOf() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-stream-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'file');
  await writeFile(file, CONTENT);
  return file;
}

/** Whether this process has a file open. */
async function isOpen(file: string): Promise<boolean> {
  const handles = await readdir('/proc/self/fd');
  const files = await Promise.all(
    handles.map((handle) => readlink(`/proc/self/fd/${handle}`).catch(() => '')),
  );
  return files.includes(file);
}

it('streams a file, and any part of it', async () => {
  const file = await fileOf();
  for (const [offset, length] of [
    [0, SIZE],
    [1, 262_144],
    [262_143, 262_146],
    [SIZE - 1, 1],
    [5, 0],
  ] as const) {
    const part = await buffer(streamFile(file, { offset, length }));
    expect(part.equals(CONTENT.subarray(offset, offset + length))).toBe(true);
  }
});

it('keeps less than 20 MB of buffers while it streams 100 MB', async () => {
  const file = await fileOf();
  await truncate(file, 100_000_000);
  const module = new URL('../../../src/adapters/disk/stream-file.ts', import.meta.url).href;
  // In a separate process, whose memory no other test uses.
  const script = `
    const { streamFile } = await import(${JSON.stringify(module)});
    let most = 0;
    for await (const _piece of streamFile(${JSON.stringify(file)}, { offset: 0, length: 100_000_000 }))
      most = Math.max(most, process.memoryUsage().arrayBuffers);
    console.log(most);`;
  const args = ['--input-type=module', '--eval', script];
  expect(Number(execFileSync(process.execPath, args, { encoding: 'utf8' }))).toBeLessThan(20_000_000);
});

it('fails when the file is missing or has become shorter', async () => {
  const file = await fileOf();
  await expect(buffer(streamFile(`${file}x`, { offset: 0, length: 1 }))).rejects.toThrow('ENOENT');
  const stream = streamFile(file, { offset: 0, length: SIZE });
  await truncate(file, 300_000);
  await expect(buffer(stream)).rejects.toThrow('has become shorter');
});

it(
  'closes the file, wherever its reader stops',
  needs(process.platform === 'linux', 'needs /proc, which Linux has'),
  async () => {
    const file = await fileOf();
    const part = { offset: 0, length: SIZE };
    await buffer(streamFile(file, part));
    const early = streamFile(file, part).getReader();
    // Not awaited: the file is still being opened.
    const reading = early.read();
    await early.cancel();
    await reading;
    const late = streamFile(file, part).getReader();
    await late.read();
    expect(await isOpen(file)).toBe(true);
    await late.cancel();
    await streamFile(file, part).cancel();
    await expect.poll(() => isOpen(file)).toBe(false);
  },
);
