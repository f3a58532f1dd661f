import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { installIdOf } from '../../src/library/library-storage.ts';
import type { OpenStorage, RuntimeStorage } from '../../src/storage/storage.ts';
import { openVault } from '../../src/vault/vault.ts';
import { serveMcp, text } from './mcp-server.ts';
import { realSystem } from './real-system.ts';
import { refused } from './refused.ts';
import { openClient } from './runtime-world.ts';
import { tempFolder } from './temp-folder.ts';

/** Storage that several processes open: empty at first. */
export type Place = {
  open: OpenStorage;
  /** The folder of another process: the same, or that of another machine. */
  folder(): Promise<string>;
  /** The code of an expression that opens it, in another process. */
  code: string;
  /** All bytes that are stored, without the copies of a machine. */
  stored(): Promise<Buffer>;
  /** Writes that a later version of the runtime has used it. */
  age(): Promise<void>;
};

const SOURCES = new URL('../../src/', import.meta.url).href;
const SECRET = 'a-refresh-token-of-the-user-that-is-secret';
const KEY_BYTES = 'a'.repeat(43);
/** A store is a folder or a database: names are of both. */
const OWNER = { appId: 'notes.example', project: '/home/user/project' };

/** Storage in the place, closed with the test. */
async function opened(place: Place, folder?: string): Promise<RuntimeStorage & { folder: string }> {
  const own = folder ?? (await place.folder());
  const storage = await place.open({ system: realSystem, folder: own });
  onTestFinished(async () => storage.close());
  return { ...storage, folder: own };
}

/** A program in another process, with the opened storage as `storage`. @returns it once it has written its first line */
async function otherProcess(place: Place, body: string) {
  const script = `
    import { randomBytes } from 'node:crypto';
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const system = { now: Date.now, randomBytes, sleep };
    const sources = ${JSON.stringify(SOURCES)};
    const folder = ${JSON.stringify(await place.folder())};
    const storage = await ${place.code};
    const say = (line) => process.stdout.write(line + '\\n');
    const { database, transact } = storage.library;
    const write = database.prepare('insert or replace into settings (name, value) values (?, ?)');
    const find = database.prepare('select value from settings where name = ?');
    ${body}
    await storage.close();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), ended]);
  return { child, ended };
}

const settingOf = ({ library }: RuntimeStorage, name: string): unknown =>
  library.database.prepare('select value from settings where name = ?').get(name)?.value;

const write = ({ library }: RuntimeStorage, name: string, value: string): void => {
  library.transact(() =>
    library.database.prepare('insert or replace into settings (name, value) values (?, ?)').run(name, value),
  );
};

async function vaultOf({ vault, folder }: RuntimeStorage & { folder: string }) {
  const keyring = { get: async () => KEY_BYTES, set: async () => {}, delete: async () => {} };
  return openVault({ folder, keys: [{ kind: 'keyring', keyring }], system: fixedKey(), place: vault });
}

/** The key of each vault is the same, as of bots that got it from one place. */
function fixedKey() {
  const key = Buffer.from(KEY_BYTES, 'base64url');
  return { ...realSystem, randomBytes: (n: number) => (n === key.length ? key : randomBytes(n)) };
}

/** Tests of the port of storage, for each of its implementations. */
export function describeStorage(name: string, make: () => Promise<Place>): void {
  describe(name, () => {
    it('is opened by several at once, which are one client to a store', async () => {
      const place = await make();
      const all = await Promise.all(Array.from({ length: 6 }, () => opened(place)));
      const ids = new Set(all.map(({ library }) => installIdOf(realSystem, library)));
      expect(ids.size).toBe(1);
    });

    it('shows in one opener what another has written, and what it has rolled back in none', async () => {
      const place = await make();
      const [one, two] = [await opened(place), await opened(place)];
      write(one, 'n', 'first');
      await two.refresh();
      expect(settingOf(two, 'n')).toBe('first');
      expect(() =>
        two.library.transact(() => {
          two.library.database.prepare("update settings set value = 'second'").run();
          throw new Error('no');
        }),
      ).toThrow('no');
      two.library.transact(() => two.library.database.prepare('delete from settings').run());
      await one.refresh();
      expect([settingOf(one, 'n'), settingOf(two, 'n')]).toEqual([undefined, undefined]);
      expect(settingOf(await opened(place), 'n')).toBeUndefined();
    });

    it('keeps rows with any key and text, and what belongs to a removed row', async () => {
      const place = await make();
      const [one, two] = [await opened(place), await opened(place)];
      const project = `/${'ä/'.repeat(3_000)}"'\\`;
      const app = "insert into apps values ('a', '1', '1', null, null, '{}', ?, '{}', 1, null)";
      one.library.transact(() => {
        one.library.database.prepare(app).run('\u0000 {"a":"\u2028"}');
        one.library.database.prepare('insert into switches values (?, ?, 0)').run('a', project);
      });
      await two.refresh();
      const rows = 'select manifest, project from apps join switches using (app_id)';
      expect(two.library.database.prepare(rows).get()).toEqual({
        manifest: '\u0000 {"a":"\u2028"}',
        project,
      });
      // A row that is written again keeps its switches.
      two.library.transact(() => two.library.database.prepare("update apps set version = '2'").run());
      await one.refresh();
      expect(one.library.database.prepare('select count(*) as n from switches').get()).toEqual({ n: 1 });
      one.library.transact(() => one.library.database.prepare('delete from apps').run());
      await two.refresh();
      expect(two.library.database.prepare('select count(*) as n from switches').get()).toEqual({ n: 0 });
    });

    it('loses no change of processes that write at the same time', async () => {
      const place = await make();
      const count = `
        for (let n = 0; n < 20; n += 1) {
          transact(() => write.run('n', String(Number(find.get('n')?.value ?? 0) + 1)));
          await sleep(0);
        }`;
      const others = await Promise.all([1, 2, 3].map(() => otherProcess(place, count)));
      expect(await Promise.all(others.map(({ ended }) => ended))).toEqual(others.map(() => [0, null]));
      expect(settingOf(await opened(place), 'n')).toBe('60');
    });

    it('has complete changes alone when its process is killed while it writes', async () => {
      const place = await make();
      const { child, ended } = await otherProcess(
        place,
        `for (let n = 0; ; n += 1) {
          transact(() => {
            write.run('one', String(n));
            write.run('two', String(n));
          });
          if (n === 5) say('writing');
        }`,
      );
      child.kill('SIGKILL');
      await ended;
      const after = await opened(place);
      expect(Number(settingOf(after, 'one'))).toBeGreaterThan(4);
      expect(settingOf(after, 'two')).toBe(settingOf(after, 'one'));
      write(after, 'one', 'later');
      expect(settingOf(await opened(place), 'one')).toBe('later');
    });

    it('lets one process at a time do a work, and the next once the first was killed', async () => {
      const place = await make();
      const { child } = await otherProcess(
        place,
        `await storage.alone('account-1', async () => {
          say('holding');
          await sleep(3_600_000);
        });`,
      );
      const storage = await opened(place);
      const order: string[] = [];
      const other = storage.alone('account-2', async () => void order.push('another name'));
      const waits = storage.alone('account-1', async () => void order.push('after'));
      await other;
      order.push('killed');
      child.kill('SIGKILL');
      await waits;
      expect(order).toEqual(['another name', 'killed', 'after']);
    });

    it('lets calls of one process wait for each other, also after one that failed', async () => {
      const storage = await opened(await make());
      let inside = 0;
      const work = async (fails: boolean) => {
        inside += 1;
        expect(inside).toBe(1);
        await realSystem.sleep(5);
        inside -= 1;
        if (fails) throw new Error('failed');
      };
      const results = await Promise.allSettled(
        [true, false, true, false].map((one) => storage.alone('x', () => work(one))),
      );
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
    });

    it('has secrets encrypted alone, and loses none of openers that write at the same time', async () => {
      const place = await make();
      const [one, two] = [await vaultOf(await opened(place)), await vaultOf(await opened(place))];
      const names = Array.from({ length: 6 }, (_, n) => ['account', 'app', String(n)] as const);
      await one.change(['secret', 'client', 'first'], () => SECRET);
      await Promise.all(names.map((entry, n) => (n % 2 ? one : two).change(entry, () => `${SECRET}${n}`)));
      expect(await Promise.all(names.map((entry) => two.read(entry)))).toEqual(
        names.map((_, n) => SECRET + n),
      );
      expect(await one.names('account')).toHaveLength(names.length);
      const stored = (await place.stored()).toString('latin1');
      expect(stored).toContain('svc-vault 1 ');
      for (const encoding of ['latin1', 'base64', 'hex'] as const)
        expect(stored).not.toContain(Buffer.from(SECRET.slice(0, 30)).toString(encoding));
      // Only a change of what was read is written, and only with the key.
      const other = { get: async () => 'b'.repeat(43), set: async () => {}, delete: async () => {} };
      const { vault, folder } = await opened(place);
      const locked = openVault({
        folder,
        keys: [{ kind: 'keyring', keyring: other }],
        system: realSystem,
        place: vault,
      });
      await expect(locked.read(['account', 'app', '1'])).rejects.toEqual(refused('vault-locked'));
    });

    it('has bundles under their hash, which are verified, and removed once no app uses them', async () => {
      const place = await make();
      const [one, two] = [await opened(place), await opened(place)];
      const bytes = randomBytes(100_000);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      await one.library.bundles.keep(bytes, sha256);
      expect(two.library.bundles.has(sha256)).toBe(true);
      expect(Buffer.from((await two.library.bundles.read(sha256)) ?? [])).toEqual(bytes);
      two.library.transact(() => two.library.bundles.remove(sha256));
      expect(one.library.bundles.has(sha256)).toBe(false);
      expect(await (await opened(place)).library.bundles.read(sha256)).toBeNull();
      const wrong = createHash('sha256').update('another').digest('hex');
      await one.library.bundles.keep(bytes, wrong);
      expect(await two.library.bundles.read(wrong)).toBeNull();
    });

    it('has the files of apps, which every opener lists, reads and removes', async () => {
      const place = await make();
      const [one, two] = [await opened(place), await opened(place)];
      const bytes = Buffer.from('# Notes\n');
      const kept = await one.files.keep(OWNER, { name: '../a%_note.md', bytes });
      await one.files.keep({ ...OWNER, project: '/another' }, { name: 'other.md', bytes });
      expect(await two.files.list(OWNER)).toMatchObject([{ id: kept.id, name: kept.name, bytes: 8 }]);
      const read = await two.files.read(OWNER, kept.id);
      expect(read).toMatchObject({ name: kept.name, sha256: kept.sha256 });
      expect(await readFile(read.path)).toEqual(bytes);
      await two.files.remove(OWNER, kept.id);
      await expect(one.files.read(OWNER, kept.id)).rejects.toEqual(refused('unknown-file'));
      expect(await one.files.list({ ...OWNER, project: '/another' })).toHaveLength(1);
      await two.files.removeApp(OWNER.appId);
      expect(await one.files.list({ ...OWNER, project: '/another' })).toEqual([]);
    });

    it('is not opened, and not changed, when a later version of the runtime wrote it', async () => {
      const place = await make();
      write(await opened(place), 'n', '1');
      await place.age();
      await expect(opened(place)).rejects.toThrow('A later version of the runtime');
    });

    it('is all that two clients share: an app with its secret, whether it is on, its tools', async () => {
      const place = await make();
      const mcp = await serveMcp(({ request }) => text(`with ${request.headers['x-api-key']}`), {
        tools: [{ name: 'plain' }],
      });
      const client = async () => {
        const folder = await place.folder();
        const keys = [{ kind: 'key-file' as const, file: path.join(keyFolder, 'key') }];
        return (await openClient({ folder, storage: place.open, localConnectors: true, keys })).runtime;
      };
      const keyFolder = await tempFolder();
      const one = await client();
      const { appId } = await one.addLocalConnector({ url: mcp.url, headers: { 'x-api-key': SECRET } });
      const two = await client();
      const request = { tool: 'plain', arguments: {}, project: 'p', chat: 'c' };
      expect(await two.call(appId, request)).toMatchObject({ isError: false });
      expect(mcp.headersOf('tools/call')).toMatchObject([{ 'x-api-key': SECRET }]);
      one.library.switch(appId, false);
      await expect(two.call(appId, request)).rejects.toEqual(refused('switched-off'));
      await one.remove(appId);
      await expect(two.call(appId, request)).rejects.toEqual(refused('not-installed'));
      expect((await place.stored()).toString('latin1')).not.toContain(SECRET);
    });
  });
}
