import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readKeyChain } from '../src/adapters/disk/key-chain-file.ts';
import { openSigningKey } from '../src/adapters/disk/signing-key-file.ts';

const MAIN = join(import.meta.dirname, '..', 'src', 'main.ts');

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-main-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function start(environment: Record<string, string>, words: string[] = []) {
  const child: ChildProcess = spawn(process.execPath, [MAIN, ...words], {
    env: { PATH: process.env.PATH, ...environment },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { out: '', err: '' };
  child.stdout?.on('data', (text) => {
    output.out += text;
  });
  child.stderr?.on('data', (text) => {
    output.err += text;
  });
  const exit = new Promise<number | null>((resolve) => child.on('exit', resolve));
  return { child, output, exit };
}

async function portOf({ output }: ReturnType<typeof start>): Promise<number> {
  await expect.poll(() => output.out, { timeout: 15_000 }).toContain('"port":');
  return Number(/"port":(\d+)/.exec(output.out)?.[1]);
}

describe('the store as a program', () => {
  it('makes its folder and key, answers, and stops when asked', async () => {
    const folder = join(tempFolder(), 'data');
    const store = start({ PORT: '0', SVC_DATA_DIR: folder });
    const port = await portOf(store);
    const key = await (await fetch(`http://127.0.0.1:${port}/api/apps/public-key`)).text();
    expect(JSON.parse(key).publicKeyPem).toMatch(/^-----BEGIN PUBLIC KEY-----/);
    expect(statSync(join(folder, 'keys', 'signing-key.pem')).mode & 0o777).toBe(0o600);
    store.child.kill('SIGTERM');
    expect(await store.exit).toBe(0);
  });

  it('says in one line that the port is in use, and exits with 2', async () => {
    const squatter = createServer().listen(0);
    onTestFinished(() => void squatter.close());
    const { port } = squatter.address() as { port: number };
    const store = start({ PORT: String(port), SVC_DATA_DIR: tempFolder() });
    expect(await store.exit).toBe(2);
    expect(store.output.err).toBe(`svc-store: Port ${port} is in use: stop what uses it, or set PORT.\n`);
  });

  it.each([
    ['a file where the folder should be', (folder: string) => ({ SVC_DATA_DIR: join(folder, 'file') })],
    [
      'a key that is no key',
      (folder: string) => ({
        SVC_DATA_DIR: join(folder, 'data'),
        SVC_SIGNING_KEY_FILE: join(folder, 'file'),
      }),
    ],
    ['a broken setting', () => ({ PORT: 'x' })],
    [
      'an S3 that is not there',
      (folder: string) => ({
        SVC_DATA_DIR: join(folder, 'data'),
        SVC_BLOBS: 's3://apps?endpoint=http://127.0.0.1:2',
        AWS_ACCESS_KEY_ID: 'x',
        AWS_SECRET_ACCESS_KEY: 'x',
      }),
    ],
  ])('says in one line what is wrong with %s, and exits with 2', async (_name, settings) => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'file'), 'not what you think');
    chmodSync(join(folder, 'file'), 0o600);
    const store = start({ PORT: '0', ...settings(folder) });
    expect(await store.exit).toBe(2);
    expect(store.output.err).toMatch(/^svc-store: [^\n]+\n$/);
  });

  it('rotates its key when told, and starts with the new one', async () => {
    const folder = join(tempFolder(), 'data');
    const settings = { PORT: '0', SVC_DATA_DIR: folder };
    const store = start(settings);
    await portOf(store);
    const rotation = start(settings, ['keys', 'rotate']);
    expect(await rotation.exit).toBe(0);
    const keyId = /is now (\S+),/.exec(rotation.output.err)?.[1];
    store.child.kill('SIGTERM');
    await store.exit;
    const port = await portOf(start(settings));
    const key = await (await fetch(`http://127.0.0.1:${port}/api/apps/public-key`)).text();
    expect(JSON.parse(key).keyId).toBe(keyId);
  });

  it('has either the old key or the new one, whenever a rotation is killed', async () => {
    const folder = join(tempFolder(), 'data');
    const file = join(folder, 'key.pem');
    await openSigningKey(file, randomUUID);
    const settings = { SVC_DATA_DIR: folder, SVC_SIGNING_KEY_FILE: file };
    const whole = performance.now();
    expect(await start(settings, ['keys', 'rotate']).exit).toBe(0);
    const duration = performance.now() - whole;
    for (let part = 0; part < 8; part += 1) {
      const rotation = start(settings, ['keys', 'rotate']);
      setTimeout(() => rotation.child.kill('SIGKILL'), duration * (0.8 + part * 0.03));
      await rotation.exit;
      const chain = await readKeyChain(file, await openSigningKey(file, randomUUID));
      expect(chain.length).toBeGreaterThan(1);
      rmSync(`${file}.next`, { force: true });
    }
  });
});
