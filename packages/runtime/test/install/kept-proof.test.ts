import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readVersionProof } from '@svc/log';
import { expect, it } from 'vitest';
import { putLogProof, readLogProof } from '../../src/library/app-table.ts';
import { started } from '../support/logged-store.ts';
import { APP } from '../support/signing-store.ts';
import { openWorld } from '../support/world.ts';

/** A client that has installed an app of a store with a log, and reaches no store any more. */
async function offline(before: (world: Awaited<ReturnType<typeof started>>) => void = () => {}) {
  const world = await started();
  before(world);
  await world.install();
  world.log.entries.push(Buffer.from('another entry'));
  const { seen } = world.store;
  const asked = seen.length;
  return { ...world, requests: () => seen.length - asked };
}

it('an installed version is verified against its log without the network, also by a later process', async () => {
  const { installer, requests, folder, store } = await offline();
  const proof = await installer.logProof(APP);
  expect(proof).toMatchObject({ origin: 'store.example', index: 0, size: 1 });
  expect(proof?.file).toContain('c2sp.org/tlog-proof@v1');
  expect(readVersionProof(proof?.file ?? '')?.release).toMatchObject({ publisher: 'example' });
  expect(await (await openWorld(store, { folder })).installer.logProof(APP)).toEqual(proof);
  expect(requests()).toBe(0);
});

it('an app of another store has no proof that this store would verify', async () => {
  const { folder, installer } = await offline();
  expect(await installer.logProof(APP)).not.toBeNull();
  const other = await openWorld({ url: 'http://127.0.0.1:1' }, { folder });
  await expect(other.installer.logProof(APP)).rejects.toMatchObject({ code: 'not-installed' });
});

it('an update replaces the proof, and a removal deletes it', async () => {
  const { installer, publish, serveWith, log, install, library, storage } = await offline();
  publish('1.1.0');
  serveWith((since) => log.prove(2, since));
  await install();
  expect(await installer.logProof(APP)).toMatchObject({ index: 2, size: 3 });
  library.remove(APP);
  expect(readLogProof(storage.database, APP)).toBeNull();
  await expect(installer.logProof(APP)).rejects.toMatchObject({ code: 'not-installed' });
});

it('there is none of a store without a log', async () => {
  const { installer } = await offline(({ serveWith }) => serveWith(() => undefined));
  expect(await installer.logProof(APP)).toBeNull();
});

it.each<[string, (file: string) => string]>([
  ['of another index', (file) => file.replace('index 0', 'index 1')],
  ['with another root', (file) => file.replace(/\n1\n./, '\n1\nA')],
  [
    'with another publisher',
    (file) => file.replace(/extra .*/, `extra ${Buffer.from('{}').toString('base64')}`),
  ],
  ['that is cut', (file) => file.slice(0, -20)],
  ['that is none', () => 'x'],
])('a proof %s is refused', async (_what, change) => {
  const { installer, storage } = await offline();
  putLogProof(storage.database, APP, change(readLogProof(storage.database, APP) ?? expect.fail()));
  await expect(installer.logProof(APP)).rejects.toMatchObject({ code: 'not-verified' });
});

it('a bundle that was changed on the disk is refused', async () => {
  const { installer, library, folder } = await offline();
  const { source } = library.get(APP) ?? expect.fail();
  if (source.kind !== 'store') expect.fail();
  await writeFile(join(folder, 'bundles', `${source.sha256}.svc-app`), 'something else');
  await expect(installer.logProof(APP)).rejects.toMatchObject({ code: 'not-verified' });
});
