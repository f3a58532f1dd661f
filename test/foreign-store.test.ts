import { spawn, spawnSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createRevocationWatch } from '@svc/runtime/parts';
import { generateSigningKeyPem } from '@svc/signing';
import { bareEnvironment, DEEP, hasProgram, needs, ownProgram, sampleBundle } from '@svc/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../packages/runtime/test/support/temp-folder.ts';
import { openWorld, system } from '../packages/runtime/test/support/world.ts';

const STORE = join(import.meta.dirname, '../interop/store/store.py');
const APP = 'com.example.notes';

/** The store that was written from the specification alone, with one signed app. */
async function startForeignStore() {
  const folder = await tempFolder();
  writeFileSync(join(folder, 'app.zip'), sampleBundle({ id: APP }));
  writeFileSync(join(folder, 'key.pem'), generateSigningKeyPem());
  const program = spawn('python3', [STORE, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    program.kill();
    if (program.exitCode === null && program.signalCode === null) await once(program, 'exit');
  });
  const [url] = (await once(createInterface(program.stdout), 'line')) as [string];
  const yank = (reason: string) =>
    writeFileSync(
      join(folder, 'yanked.json'),
      JSON.stringify([{ appId: APP, version: '1.0.0', reason, at: '2026-01-01T00:00:00.000Z' }]),
    );
  return { url, folder, yank };
}

it('a store with a key id of its own, plain 404s and no heads is used by the runtime and by svc verify', {
  ...DEEP,
  ...needs(hasProgram('python3') && hasProgram('openssl'), 'needs python3 and openssl'),
}, async () => {
  const store = await startForeignStore();
  const client = await openWorld(store);
  await expect(client.installer.prepareInstall('com.example.none')).rejects.toMatchObject({
    code: 'store-refused',
    detail: { code: 'not_found' },
  });
  expect(await client.install(APP)).toMatchObject({ version: '1.0.0', on: true });

  const onFault = (error: unknown) => {
    throw error;
  };
  const watch = createRevocationWatch({ ...client, system: { ...system, now: Date.now }, onFault });
  expect(await watch.check()).toMatchObject({ refused: null });
  store.yank('It lost notes.');
  // Lists of one second are the same list.
  await expect
    .poll(async () => {
      await watch.check();
      return client.heard.at(-1);
    })
    .toMatchObject({ type: 'app-yanked', appId: APP, reason: 'It lost notes.' });

  const env = { ...bareEnvironment(), HOME: store.folder, NO_COLOR: '1' };
  const verify = () =>
    spawnSync(
      process.execPath,
      [ownProgram('svc'), 'verify', `${APP}@1.0.0`, '--store', store.url, '--json'],
      { env, encoding: 'utf8' },
    );
  // The second time with the key that the first one pinned.
  for (const _ of [1, 2]) {
    const { status, stdout, stderr } = verify();
    expect([status, stderr.includes('inconsistent')], stdout + stderr).toEqual([0, false]);
  }
  // Another key under the same name: the bundle that it signed does not verify with the pinned one.
  const impostor = await startForeignStore();
  const key = readFileSync(join(store.folder, 'key.pem'), 'utf8');
  const pinned = await openWorld(impostor, {
    pin: createPublicKey(key).export({ type: 'spki', format: 'pem' }) as string,
  });
  await expect(pinned.install(APP)).rejects.toMatchObject({ code: 'not-verified' });
});
