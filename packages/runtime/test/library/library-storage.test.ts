import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DEEP } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { openFileRecipients } from '../../src/library/choice-tables.ts';
import { openLibraryStorage } from '../../src/library/library-storage.ts';
import { APP, startSigningStore } from '../support/signing-store.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { openWorld, system } from '../support/world.ts';

const DAY_MS = 24 * 3_600_000;
const HASH = 'a'.repeat(64);

describe('the storage of the library', () => {
  it('can be opened several times at once', async () => {
    const folder = await tempFolder();
    const opened = await Promise.all(Array.from({ length: 8 }, () => openLibraryStorage(system, folder)));
    for (const { database, close } of opened) {
      expect(database.prepare('select count(*) as n from apps').get()).toEqual({ n: 0 });
      close();
    }
  });

  it('is not opened when a later version of the runtime wrote it', async () => {
    const folder = await tempFolder();
    (await openLibraryStorage(system, folder)).close();
    const database = new DatabaseSync(path.join(folder, 'library.sqlite'));
    database.exec('pragma user_version = 1000');
    database.close();
    await expect(openLibraryStorage(system, folder)).rejects.toThrow('A later version of the runtime');
  });

  it('keeps which apps get files of a project over a restart, until the app is removed', async () => {
    const store = await startSigningStore();
    store.publish();
    const { folder, install, library } = await openWorld(store);
    await install();
    const app = library.get(APP) ?? expect.fail();
    const elsewhere = {
      ...app,
      manifest: { ...app.manifest, remote: { mcpUrl: 'https://other.example/mcp', domains: [] } },
    };
    const knownAfterRestart = async (work: (recipients: ReturnType<typeof openFileRecipients>) => void) => {
      const storage = await openLibraryStorage(system, folder);
      const recipients = openFileRecipients(storage, system);
      const known = [
        recipients.has(app, 'one'),
        recipients.has(app, 'two'),
        recipients.has(elsewhere, 'one'),
      ];
      work(recipients);
      storage.close();
      return known;
    };
    expect(await knownAfterRestart((recipients) => recipients.add(app, 'one'))).toEqual([
      false,
      false,
      false,
    ]);
    let listed: object[] = [];
    await knownAfterRestart((recipients) => {
      recipients.used(app, 'one');
      recipients.add(app, 'two');
      listed = recipients.list();
      recipients.revoke(APP, recipients.list().find(({ project }) => project === 'two')?.id ?? '');
    });
    const time = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(listed).toMatchObject([
      { appId: APP, project: 'one', since: time, usedAt: time },
      { appId: APP, project: 'two', since: time, usedAt: null },
    ]);
    expect(await knownAfterRestart(() => library.remove(APP))).toEqual([true, false, false]);
    expect(await knownAfterRestart(() => {})).toEqual([false, false, false]);
  });

  it('removes files that were left behind a day ago, but no bundle of an installed app', async () => {
    const store = await startSigningStore();
    store.publish();
    const { storage, folder, install, library } = await openWorld(store);
    await install();
    await storage.bundles.keep(Buffer.from('left behind'), HASH);
    await writeFile(path.join(folder, 'bundles', `${'0'.repeat(32)}.part`), 'never whole');
    const reopen = async (now: number) => {
      (await openLibraryStorage({ ...system, now: () => now }, folder)).close();
      return readdir(path.join(folder, 'bundles'));
    };
    expect(await reopen(Date.now())).toHaveLength(3);
    const { source } = library.get(APP) ?? {};
    const left = await reopen(Date.now() + 2 * DAY_MS);
    expect(left).toEqual([`${source?.kind === 'store' && source.sha256}.svc-app`]);
  });

  it('does not return a bundle whose hash differs from its name', async () => {
    const store = await startSigningStore();
    store.publish();
    const { folder, install, library, storage } = await openWorld(store);
    const { source } = await install();
    const sha256 = source.kind === 'store' ? source.sha256 : '';
    await writeFile(path.join(folder, 'bundles', `${sha256}.svc-app`), 'PK something else');
    expect(await storage.bundles.read(sha256)).toBeNull();
    await expect(library.files(APP)).rejects.toMatchObject({ code: 'not-verified' });
  });

  it('is shared by processes that open it at the same time', DEEP, async () => {
    const folder = await tempFolder();
    const index = new URL('../../src/library/library-storage.ts', import.meta.url).href;
    const script = `
      import { randomBytes } from 'node:crypto';
      const { openLibraryStorage } = await import(${JSON.stringify(index)});
      const { inTransaction } = await import(${JSON.stringify(new URL('./library-database.ts', index).href)});
      const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
      const { database } = await openLibraryStorage({ now: Date.now, randomBytes, sleep }, process.argv[1]);
      const read = database.prepare("select value from settings where name = 'n'");
      const write = database.prepare("insert or replace into settings (name, value) values ('n', ?)");
      for (let n = 0; n < 20; n += 1) {
        inTransaction(database, () => write.run(String(Number(read.get()?.value ?? 0) + 1)));
        await sleep(0);
      }`;
    const run = async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script, folder], {
        stdio: 'ignore',
      });
      const [code] = await once(child, 'exit');
      return code;
    };
    expect(await Promise.all([run(), run(), run()])).toEqual([0, 0, 0]);
    const { database, close } = await openLibraryStorage(system, folder);
    expect(database.prepare("select value from settings where name = 'n'").get()).toEqual({ value: '60' });
    close();
  });

  it('keeps the install id when the process is killed right after it was created', DEEP, async () => {
    const folder = await tempFolder();
    const script = `
      import { randomBytes } from 'node:crypto';
      const { installIdOf, openLibraryStorage } = await import(${JSON.stringify(new URL('../../src/library/library-storage.ts', import.meta.url).href)});
      const system = { now: Date.now, randomBytes, sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) };
      const storage = await openLibraryStorage(system, process.argv[1]);
      process.stdout.write(installIdOf(system, storage), () => process.kill(process.pid, 'SIGKILL'));`;
    const run = () =>
      spawnSync(process.execPath, ['--input-type=module', '-e', script, folder], { encoding: 'utf8' });
    const first = run();
    expect([first.signal, first.stdout]).toEqual(['SIGKILL', expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(run().stdout).toBe(first.stdout);
  });
});
