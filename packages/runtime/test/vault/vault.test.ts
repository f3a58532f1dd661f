import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Keyring } from '../../src/keyring/keyring.ts';
import { type EntryName, openVault } from '../../src/vault/vault.ts';
import { decryptEntries, encryptEntries, parseVault } from '../../src/vault/vault-file.ts';
import type { VaultKey } from '../../src/vault/vault-key.ts';
import { realSystem as system } from '../support/real-system.ts';
import { tempFolder } from '../support/temp-folder.ts';

const A: EntryName = ['account', 'com.example.a', 'main'];
const B: EntryName = ['account', 'com.example.b', 'main'];
const LOCKED = { code: 'vault-locked' };
const DAMAGED = { code: 'vault-damaged' };

const passphrase = (text: string, asked: boolean[] = []): VaultKey => ({
  kind: 'passphrase',
  logN: 10,
  ask: async (isNew) => {
    asked.push(isNew);
    return text;
  },
});

function memoryKeyring() {
  const secrets = new Map<string, string>();
  const keyring: Keyring = {
    get: async (account) => secrets.get(account) ?? null,
    set: async (account, secret) => void secrets.set(account, secret),
    delete: async (account) => void secrets.delete(account),
  };
  return { secrets, key: { kind: 'keyring', keyring } as const };
}

const nowhere = () => Promise.reject(new Error('it cannot be used'));
const noKeyring: VaultKey = { kind: 'keyring', keyring: { get: nowhere, set: nowhere, delete: nowhere } };

/** A folder with a key file, and a function that opens its vault. */
async function vaultFolder() {
  const folder = await tempFolder();
  const key: VaultKey = { kind: 'key-file', file: path.join(folder, 'key') };
  const open = (...keys: VaultKey[]) => openVault({ folder, keys: keys.length > 0 ? keys : [key], system });
  return { folder, key, open, file: path.join(folder, 'vault') };
}

const keep = (text: string) => () => text;

/** The beginning of a program for another process, which opens the vault of a folder. */
const programHead = (folder: string) => `
  import { randomBytes } from 'node:crypto';
  const { openVault } = await import('${new URL('../../src/vault/vault.ts', import.meta.url).href}');
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const folder = ${JSON.stringify(folder)};
  const keys = [{ kind: 'key-file', file: folder + '/key' }];
  const vault = openVault({ folder, keys, system: { now: Date.now, randomBytes, sleep } });`;

describe('a vault', () => {
  it('reports once that its key is in a file, unless the client chose that', async () => {
    const keyring = {
      get: async () => null,
      set: () => Promise.reject(new Error('it cannot be used')),
      delete: async () => {},
    };
    for (const [sources, expected] of [
      [['keyring', 'key-file'], 1],
      [['key-file'], 0],
    ] as const) {
      const folder = await tempFolder();
      const file = path.join(folder, 'key');
      const all: Record<string, VaultKey> = {
        keyring: { kind: 'keyring', keyring },
        'key-file': { kind: 'key-file', file },
      };
      const keys = sources.map((name) => all[name] as VaultKey);
      const emit = vi.fn();
      const open = () => openVault({ folder, keys, system, events: { emit } });
      await open().change(A, keep('one'));
      await open().change(A, keep('two'));
      expect(emit.mock.calls).toEqual(Array(expected).fill([{ type: 'vault-key-in-file', file }]));
    }
  });

  it('stores entries, readable only by its owner and only with the key', async () => {
    const { open, file, folder } = await vaultFolder();
    await open().change(A, keep('a refresh token'));
    await open().change(B, keep('another'));
    expect(await open().read(A)).toBe('a refresh token');
    const bytes = await readFile(file);
    for (const secret of ['a refresh token', 'com.example', 'main'])
      expect(bytes.includes(secret)).toBe(false);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(path.join(folder, 'key'))).mode & 0o777).toBe(0o600);
    expect((await readdir(folder)).sort()).toEqual(['key', 'vault', 'vault.lock']);
  });

  it('is not created by reading, or by removing an entry that does not exist', async () => {
    const { open, folder } = await vaultFolder();
    expect(await open().read(A)).toBeNull();
    expect(await open().change(A, () => null)).toBeNull();
    expect(await readdir(folder)).toEqual(['vault.lock']);
  });

  it('passes the current text to a change, and deletes removed entries', async () => {
    const { open } = await vaultFolder();
    const vault = open();
    await vault.change(A, keep('1'));
    expect(await vault.change(A, (current) => `${current}2`)).toBe('12');
    expect(await vault.change(A, () => null)).toBeNull();
    expect(await vault.read(A)).toBeNull();
  });

  it('never has the same bytes twice, even with the same entries', async () => {
    const { open, file } = await vaultFolder();
    await open().change(A, keep('1'));
    const before = await readFile(file);
    await open().change(A, keep('2'));
    await open().change(A, keep('1'));
    expect(before.equals(await readFile(file))).toBe(false);
  });

  it('loses no concurrent change of two processes, which see the changes of each other', async () => {
    const { open, folder } = await vaultFolder();
    await open().change(A, keep(''));
    const program = `${programHead(folder)}
      await Promise.all(Array.from({ length: 15 }, () => vault.change(${JSON.stringify(A)}, (text) => text + 'o')));`;
    const vault = open();
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const here = Array.from({ length: 15 }, () => vault.change(A, (text) => `${text}i`));
    const [[code]] = await Promise.all([once(child, 'exit'), ...here]);
    expect(code).toBe(0);
    expect([...((await vault.read(A)) ?? '')].sort().join('')).toBe('i'.repeat(15) + 'o'.repeat(15));
  });

  it('loses no acknowledged change when its process is killed', async () => {
    const { open, folder } = await vaultFolder();
    await open().change(A, keep('0'));
    const program = `${programHead(folder)}
      for (let number = 1; ; number += 1) {
        await vault.change(${JSON.stringify(A)}, () => String(number));
        process.stdout.write(number + '\\n');
      }`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let acknowledged = '';
    child.stdout.on('data', (chunk) => {
      acknowledged += chunk;
      if (acknowledged.split('\n').length > 20) child.kill('SIGKILL');
    });
    await once(child, 'close');
    const last = Number(acknowledged.trimEnd().split('\n').at(-1));
    const kept = Number(await open().read(A));
    expect(kept).toBeGreaterThanOrEqual(last);
    expect(kept).toBeLessThanOrEqual(last + 1);
  });

  it('works after a process has died in the middle of writing', async () => {
    const { open, file, folder } = await vaultFolder();
    await open().change(A, keep('whole'));
    await writeFile(`${file}.tmp`, 'half of a vau');
    expect(await open().read(A)).toBe('whole');
    await open().change(A, keep('new'));
    expect(await open().read(A)).toBe('new');
    expect(await readdir(folder)).not.toContain('vault.tmp');
  });
});

describe('the key of a vault', () => {
  it('is in the keyring, under the id of the vault, and requested once', async () => {
    const { open } = await vaultFolder();
    const { secrets, key } = memoryKeyring();
    await open(key).change(A, keep('1'));
    expect([...secrets.keys()]).toEqual([expect.stringMatching(/^vault:[0-9a-f]{32}$/)]);
    const vault = open(key);
    expect(await vault.read(A)).toBe('1');
    secrets.clear();
    expect(await vault.read(A)).toBe('1');
    await expect(open(key).read(A)).rejects.toMatchObject(LOCKED);
  });

  it('is derived from a passphrase without a keyring, which concurrent reads request once', async () => {
    const { open } = await vaultFolder();
    const asked: boolean[] = [];
    const vault = open(noKeyring, passphrase('correct horse', asked));
    await vault.change(A, keep('1'));
    expect(asked).toEqual([true]);
    const later: boolean[] = [];
    const again = open(noKeyring, passphrase('correct horse', later));
    await Promise.all(Array.from({ length: 10 }, () => again.read(A)));
    expect(later).toEqual([false]);
  });

  it('has the documented scrypt cost by default', async () => {
    const { open, file } = await vaultFolder();
    await open({ kind: 'passphrase', ask: async () => 'correct horse' }).change(A, keep('1'));
    expect(parseVault(await readFile(file))?.header.key).toMatchObject({ logN: 17, r: 8, p: 1 });
  });

  it.each([
    ['a wrong passphrase', [passphrase('wrong')]],
    ['a key from a file', [{ kind: 'key-file', file: '/nonexistent/key' } as const]],
    ['no keyring', [noKeyring]],
    ['nothing', []],
  ])('does not open the vault when it is %s, and does not change the file', async (_what, keys) => {
    const { folder, file, open } = await vaultFolder();
    await open(passphrase('right')).change(A, keep('1'));
    const before = await readFile(file);
    const vault = openVault({ folder, keys, system });
    await expect(vault.read(A)).rejects.toMatchObject(LOCKED);
    await expect(vault.change(A, keep('2'))).rejects.toMatchObject(LOCKED);
    expect(before.equals(await readFile(file))).toBe(true);
    expect(await open(passphrase('wrong'), passphrase('right')).read(A)).toBe('1');
  });

  it('is not stored in a keyring that loses it, and no vault is created', async () => {
    const { open, folder } = await vaultFolder();
    const forgetful: Keyring = { get: async () => null, set: async () => {}, delete: async () => {} };
    await expect(open({ kind: 'keyring', keyring: forgetful }).change(A, keep('1'))).rejects.toMatchObject(
      LOCKED,
    );
    expect(await readdir(folder)).toEqual(['vault.lock']);
  });

  it('is not read from a file that others may read, or that has no key', async () => {
    const { open, folder } = await vaultFolder();
    await open().change(A, keep('1'));
    const file = path.join(folder, 'key');
    await chmod(file, 0o644);
    await expect(open().read(A)).rejects.toMatchObject(LOCKED);
    await chmod(file, 0o600);
    await writeFile(file, 'not a key');
    await expect(open().read(A)).rejects.toMatchObject(LOCKED);
  });

  it('cannot be an empty passphrase', async () => {
    const { open } = await vaultFolder();
    await expect(open(passphrase('')).change(A, keep('1'))).rejects.toMatchObject(LOCKED);
  });
});

describe('a damaged vault', () => {
  const change = (bytes: Buffer, at: number): Buffer => {
    const copy = Buffer.from(bytes);
    copy[at] = (copy[at] ?? 0) ^ 1;
    return copy;
  };

  it.each([
    ['a changed byte', (bytes: Buffer) => change(bytes, bytes.length - 1)],
    ['a changed nonce', (bytes: Buffer) => change(bytes, bytes.indexOf('\n') + 1)],
    ['a missing end', (bytes: Buffer) => bytes.subarray(0, -5)],
    ['only the first line', (bytes: Buffer) => bytes.subarray(0, bytes.indexOf('\n') + 1)],
    ['nothing', () => Buffer.alloc(0)],
    ['another version', (bytes: Buffer) => change(bytes, 'svc-vault '.length)],
    ['an endless first line', () => Buffer.alloc(100_000, 'svc-vault 1 {')],
    ['an invalid first line', () => Buffer.from('svc-vault 1 {"id":1}\n')],
    [
      'another first line for the same key',
      (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace('"key":{', '"key": {'), 'latin1'),
    ],
  ])('with %s is refused, and not overwritten', async (_what, damage) => {
    const { open, file } = await vaultFolder();
    await open().change(A, keep('1'));
    const bad = damage(await readFile(file));
    await writeFile(file, bad);
    await expect(open().read(A)).rejects.toMatchObject(DAMAGED);
    await expect(open().change(A, keep('2'))).rejects.toMatchObject(DAMAGED);
    expect(bad.equals(await readFile(file))).toBe(true);
  });

  it('is detected by a process that had read it before', async () => {
    const { open, file } = await vaultFolder();
    const vault = open();
    await vault.change(A, keep('1'));
    await vault.read(A);
    await truncate(file, 100);
    await expect(vault.read(A)).rejects.toMatchObject(DAMAGED);
  });

  it('is refused when its header requires all memory of the machine', async () => {
    const { open, file } = await vaultFolder();
    await open(passphrase('right')).change(A, keep('1'));
    const text = (await readFile(file, 'latin1')).replace('"logN":10', '"logN":30');
    await writeFile(file, text, 'latin1');
    await expect(open(passphrase('right')).read(A)).rejects.toMatchObject(DAMAGED);
  });

  it('is refused when the entries of two apps are swapped, even with the right key', async () => {
    const { open, file, folder } = await vaultFolder();
    await open().change(A, keep('of a'));
    await open().change(B, keep('of b'));
    const key = Buffer.from((await readFile(path.join(folder, 'key'), 'utf8')).trim(), 'base64url');
    const parsed = parseVault(await readFile(file));
    const entries = parsed && decryptEntries(parsed, key);
    if (!parsed || !entries) throw new Error('the vault does not open');
    const [a, b] = [A, B].map((name) => JSON.stringify(name)) as [string, string];
    const swapped = new Map([
      [a, entries.get(b) ?? ''],
      [b, entries.get(a) ?? ''],
    ]);
    await writeFile(file, encryptEntries(parsed.header, key, swapped, system.randomBytes));
    await expect(open().read(A)).rejects.toMatchObject(DAMAGED);
    await expect(open().read(B)).rejects.toMatchObject(DAMAGED);
  });
});
