import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { platform } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { needs } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMediaProcess, type MediaJob } from '../../src/media/process-pool.ts';
import { noise, photograph } from '../support/pictures.ts';
import { refused } from '../support/refused.ts';
import { system } from '../support/system.ts';
import { tempFolder } from '../support/temp-folder.ts';

const FOLDER = path.join(import.meta.dirname, '..', '..', 'src', 'media');
const { signal } = new AbortController();
const LIMITS = { maxMemory: 2 ** 31, maxOutput: 2 ** 20, idleMs: 60_000 };

const open = (limits = {}, folder?: string) => {
  const media = createMediaProcess(system, { ...LIMITS, ...limits }, { folder });
  onTestFinished(() => media.close());
  return media;
};
const jobOf = (bytes: Uint8Array, more: Partial<MediaJob> = {}): MediaJob => ({
  task: { work: 'prepare', type: 'image/jpeg', request: { op: 'convert', format: 'png' } },
  bytes,
  maxMs: 60_000,
  ...more,
});

/** A program in place of the real one, which does this with each task, after it told its process id. */
async function brokenCodec(what: string) {
  const folder = await tempFolder();
  const pid = path.join(folder, 'pid');
  const text = `
    import { writeFileSync } from 'node:fs';
    import { Socket } from 'node:net';
    import { createFrameReader, frameOf } from ${JSON.stringify(path.join(FOLDER, 'frames.ts'))};
    const output = new Socket({ fd: 3 });
    const answer = (head, bytes = new Uint8Array()) => frameOf(head, bytes).forEach((part) => output.write(part));
    const tasks = createFrameReader(2 ** 30, ({ bytes }) => {
      writeFileSync(${JSON.stringify(pid)}, String(process.pid), { flag: 'a' });
      if (Buffer.from(bytes).toString() === 'good') return answer({ type: 'image/png', memory: 1 });
      ${what}
    });
    process.stdin.on('data', (chunk) => tasks.take(chunk));`;
  await writeFile(path.join(folder, 'media-process.mjs'), text);
  return { folder, media: open({}, folder), pid: () => readFile(pid, 'utf8').then(Number) };
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('a file that breaks its codec', () => {
  it.each([
    ['aborts the process', 'process.abort();', 'codec failed'],
    ['ends the process', 'process.exit(0);', 'codec failed'],
    ['kills the process', "process.kill(process.pid, 'SIGKILL');", 'codec failed'],
    [
      'answers with too much',
      'answer({ type: "image/png", memory: 1 }, Buffer.alloc(2 ** 21));',
      'larger than',
    ],
    ['answers with garbage', "output.write('garbage garbage garbage');", 'larger than'],
  ])('by that it %s ends the call with media-failed, and the next file is prepared', async (_, what, why) => {
    const { media } = await brokenCodec(what);
    const error = await media.run(jobOf(Buffer.from('bad')), signal).catch((fault: unknown) => fault);
    expect(error).toEqual(refused('media-failed'));
    expect((error as Error).message).toContain(why);
    await expect(media.run(jobOf(Buffer.from('good')), signal)).resolves.toMatchObject({ type: 'image/png' });
  });

  it('is killed at the time limit, and when the caller aborts', async () => {
    const { media, pid } = await brokenCodec('for (;;) {}');
    await expect(media.run(jobOf(Buffer.from('bad'), { maxMs: 3_000 }), signal)).rejects.toEqual(
      refused('too-slow'),
    );
    const endless = await pid();
    await expect.poll(() => isAlive(endless)).toBe(false);
    const controller = new AbortController();
    const running = media.run(jobOf(Buffer.from('bad')), controller.signal);
    controller.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    await expect(media.run(jobOf(Buffer.from('good')), signal)).resolves.toMatchObject({ type: 'image/png' });
  });

  it('is ended when it needs more memory than allowed', async () => {
    const request = { op: 'resize', width: 9_000, height: 9_000, fit: 'fill' } as const;
    const task = { work: 'prepare', type: 'image/png', request } as const;
    const error = await open({ maxMemory: 100 * 1024 * 1024 })
      .run(jobOf(await noise(), { task }), signal)
      .catch((fault: unknown) => fault);
    expect((error as Error).message).toBe('The file needs more memory than a conversion may use.');
  });
});

describe('the media process', () => {
  it('keeps a client that closes it running until it is gone, and no client that is idle', async () => {
    const held = () => process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;
    const { media } = await brokenCodec('');
    await media.run(jobOf(Buffer.from('good')), signal);
    // Other tests of this worker may have processes of their own: a browser.
    const idle = held();
    const closing = media.close();
    expect(held()).toBe(idle + 1);
    await closing;
  });

  it('stays for the next file, and ends when it is idle', async () => {
    const { folder, pid } = await brokenCodec('answer({ fault: "no", memory: 1 });');
    const media = open({ idleMs: 300 }, folder);
    await media.run(jobOf(Buffer.from('good')), signal);
    const first = await pid();
    await expect.poll(() => isAlive(first)).toBe(false);
    const later = open({}, folder);
    await writeFile(path.join(folder, 'pid'), '');
    await expect(later.run(jobOf(Buffer.from('bad')), signal)).rejects.toThrow('no');
    await later.run(jobOf(Buffer.from('good')), signal);
    // Both tasks wrote the id of one process.
    expect(await readFile(path.join(folder, 'pid'), 'utf8')).toMatch(/^(\d+)\1$/);
  });

  it(
    'ends with the client that is killed while a codec works',
    needs(platform() !== 'win32', 'needs process groups'),
    async () => {
      const { folder } = await brokenCodec('');
      const file = path.join(folder, 'noise.png');
      await writeFile(file, await noise());
      // The real program, with work for minutes; a decoder that never yields is the endless loop.
      const script = `
      import { readFileSync } from 'node:fs';
      import { createMediaProcess } from ${JSON.stringify(path.join(FOLDER, 'process-pool.ts'))};
      const media = createMediaProcess({ sleep: () => new Promise(() => {}) }, ${JSON.stringify(LIMITS)});
      const task = { work: 'prepare', type: 'image/png', request: { op: 'resize', width: 9000, height: 9000, fit: 'fill' } };
      const bytes = readFileSync(${JSON.stringify(file)});
      const job = { task: { ...task, request: { op: 'convert', format: 'avif' } }, bytes, maxMs: 600_000 };
      await media.run(job, new AbortController().signal);
      console.log('ready');
      await media.run({ ...job, task }, new AbortController().signal);`;
      const program = path.join(folder, 'client.mjs');
      await writeFile(program, script);
      const client = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
      onTestFinished(() => void client.kill('SIGKILL'));
      await once(createInterface({ input: client.stdout }), 'line');
      const [child = 0] = await childrenOf(client.pid ?? 0);
      expect(isAlive(child)).toBe(true);
      client.kill('SIGKILL');
      await expect.poll(() => isAlive(child)).toBe(false);
    },
  );

  it('has no environment of the client', needs(existsSync('/proc/self/environ'), 'needs /proc'), async () => {
    process.env.SVC_TEST_SECRET = 'secret';
    onTestFinished(() => void delete process.env.SVC_TEST_SECRET);
    const media = open();
    await media.run(jobOf(await photograph()), signal);
    const [child = 0] = await childrenOf(process.pid);
    const names = (await readFile(`/proc/${child}/environ`, 'utf8'))
      .split('\0')
      .map((line) => line.split('=')[0]);
    expect(
      names.filter((name) => !['', 'TMPDIR', 'TEMP', 'TMP', 'NODE_COMPILE_CACHE'].includes(name ?? '')),
    ).toEqual([]);
  });
});

/** The ids of the media processes that a process started. */
async function childrenOf(pid: number): Promise<number[]> {
  const list = spawn('ps', ['-o', 'pid=,args=', '--ppid', String(pid)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pids: number[] = [];
  for await (const line of createInterface({ input: list.stdout }))
    if (line.includes('media-process')) pids.push(Number.parseInt(line, 10));
  return pids;
}
