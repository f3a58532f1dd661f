import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AppDetail, PublicKey } from '@svc/contracts';
import { keyRing, verifyBundle } from '@svc/signing';
import { sampleBundle, sampleManifest } from '@svc/testkit';
import { expect, onTestFinished } from 'vitest';
import { takeBackup } from '../../src/composition/commands/backup/take-backup.ts';
import { runCommand } from '../../src/composition/commands/run-command.ts';
import { readSettings } from '../../src/composition/settings.ts';
import { jsonOf, openTestStore, type TestStore } from './test-store.ts';

/** What a command gets of the process around it. */
export const AMBIENT = {
  clock: () => new Date(),
  random: (n: number) => new Uint8Array(n),
  newId: () => 'id',
  fetch,
  log: { info() {}, warn() {}, error() {} },
};

const APP = 'com.example.notes';
const clock = () => new Date('2026-03-02T00:00:00.000Z');

export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-backup-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The locations of a store's parts, for a command. */
export const depsOf = (dataDir: string) => ({
  ...AMBIENT,
  ...{ databaseUrl: null, s3: null },
  dataDir,
  signingKeyFile: join(dataDir, 'keys', 'signing-key.pem'),
  clock,
});

/** A unique bundle of some hundred kilobytes. */
export const largeBundle = (version: string, kilobytes = 200, publisher = 'example', id = APP): Uint8Array =>
  sampleBundle(
    { id, publisher, version },
    { 'assets/noise.bin': `noise${randomBytes(kilobytes * 512).toString('hex')}` },
  );

/** A store with several published versions, the first of them reviewed, and the token of a developer. */
export async function filledStore(versions = ['1.0.0', '1.1.0']) {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  for (const version of versions) {
    expect((await store.upload(token, largeBundle(version))).status).toBe(201);
    if (version === '1.0.0') await store.decide('approve', version);
  }
  return { store, token };
}

/** A filled store, closed, and a backup of it with keys. */
export async function backedUp() {
  const { store, token } = await filledStore();
  const folder = join(await tempFolder(), 'backup');
  await takeBackup(depsOf(store.folder), folder, true);
  return { store, token, folder };
}

/** Downloads and verifies all published versions of a store's only app. Returns their numbers. */
export async function verifiedVersions(
  store: { call(method: string, path: string): Promise<Response> },
  appId = APP,
): Promise<string[]> {
  const key = await jsonOf<PublicKey>(store.call('GET', '/api/apps/public-key'));
  const { versions } = await jsonOf<AppDetail>(store.call('GET', `/api/apps/${appId}`));
  for (const { version } of versions) {
    const response = await store.call('GET', `/api/apps/${appId}/versions/${version}/bundle`);
    const header = (name: string) => response.headers.get(`x-svc-${name}`) ?? '';
    const release = {
      appId,
      version,
      sha256: header('sha256'),
      signature: header('signature'),
      keyId: header('key-id'),
      publishedAt: header('published-at'),
    };
    const bytes = new Uint8Array(await response.arrayBuffer());
    const manifest = sampleManifest({
      id: appId,
      publisher: appId === APP ? 'example' : (appId.split('.').at(-1) as string),
      version,
    });
    expect(verifyBundle(bytes, manifest, release, keyRing([key]))).toMatchObject({ ok: true });
  }
  return versions.map(({ version }) => version).sort();
}

/** All files under a folder with their bytes, as text to compare. */
export async function everythingIn(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of await readdir(folder, { recursive: true }).catch(() => [])) {
    const file = join(folder, name);
    found[name] = (await stat(file)).isFile() ? (await readFile(file)).toString('base64') : 'folder';
  }
  return found;
}

/** Runs a command of `svc-store`, at a time. @returns what it prints */
export async function commandAt(
  words: string[],
  environment: Record<string, string>,
  now = '2026-03-03T00:00:00.000Z',
): Promise<string> {
  const ambient = { ...AMBIENT, clock: () => new Date(now), random: randomBytes, newId: randomUUID };
  const result = await runCommand(words, () => readSettings(environment), ambient);
  return 'line' in result ? result.line : result.print;
}

/** The value of a metric of a store. */
export async function gauge(store: TestStore, name: string): Promise<string | undefined> {
  const text = await (await store.admin('GET', '/metrics')).text();
  return new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1];
}
