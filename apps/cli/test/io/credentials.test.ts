import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Keyring } from '@svc/runtime/keyring';
import { anyText } from '@svc/testkit/any-text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  credentialsFile,
  deleteToken,
  isDeviceToken,
  saveToken,
  storedToken,
  storesWithToken,
} from '../../src/io/credentials.ts';
import { memoryKeyring, noKeyring, tempFolder } from '../support/command-context.ts';
import { OLD_TOKEN, TOKEN } from '../support/device-store.ts';

const STORE = 'https://store.example';
const OTHER = 'https://other.example/svc';

async function storageOf(keyring: Keyring = noKeyring) {
  const env = { XDG_CONFIG_HOME: await tempFolder() };
  return { env, keyring, file: credentialsFile(env) };
}

/** A storage with a file of this text. */
async function storageWith(text: string, mode = 0o600) {
  const storage = await storageOf();
  await mkdir(path.dirname(storage.file));
  await writeFile(storage.file, text);
  await chmod(storage.file, mode);
  return storage;
}

const FILE = JSON.stringify({ stores: { [STORE]: { token: TOKEN } } });

describe('a machine with a keyring', () => {
  it('stores the token in the keyring, and only a note of that in the file', async () => {
    const { keyring, secrets } = memoryKeyring();
    const storage = await storageOf(keyring);
    expect(await saveToken(storage, STORE, TOKEN)).toBeNull();
    expect([...secrets]).toEqual([[STORE, TOKEN]]);
    expect(await readFile(storage.file, 'utf8')).not.toContain('svcd_');
    expect(await storedToken(storage, STORE)).toBe(TOKEN);
    expect(await deleteToken(storage, STORE)).toBe(true);
    expect([...secrets]).toEqual([]);
    expect(await readdir(path.dirname(storage.file))).toEqual([]);
  });

  it('does not read the keyring for a store without a saved token', async () => {
    const asked: string[] = [];
    const get = async (account: string) => {
      asked.push(account);
      return null;
    };
    expect(await storedToken(await storageOf({ ...noKeyring, get }), STORE)).toBeNull();
    expect(asked).toEqual([]);
  });

  it('stores the token in the file when the keyring does not keep it', async () => {
    const { keyring } = memoryKeyring();
    const storage = await storageOf({ ...keyring, set: async () => {} });
    expect(await saveToken(storage, STORE, TOKEN)).toBe(storage.file);
    expect(await storedToken(storage, STORE)).toBe(TOKEN);
  });

  it('reports that the token is in a locked keyring', async () => {
    const { keyring } = memoryKeyring();
    const storage = await storageOf(keyring);
    await saveToken(storage, STORE, TOKEN);
    const locked = { ...storage, keyring: noKeyring };
    await expect(storedToken(locked, STORE)).rejects.toThrow('system keyring: it cannot be used');
    expect(await deleteToken(locked, STORE)).toBe(false);
    expect(await storedToken(locked, STORE)).toBeNull();
  });

  it.each([null, 'two words', 'x\r\nX-Evil: 1'])('treats %j from the keyring as no token', async (held) => {
    const { keyring } = memoryKeyring();
    const storage = await storageOf(keyring);
    await saveToken(storage, STORE, TOKEN);
    expect(
      await storedToken({ ...storage, keyring: { ...keyring, get: async () => held } }, STORE),
    ).toBeNull();
  });
});

describe('a machine without a keyring', () => {
  it('stores one token per store in a file that only its owner can read', async () => {
    const storage = await storageOf();
    await saveToken(storage, STORE, OLD_TOKEN);
    expect(await saveToken(storage, STORE, TOKEN)).toBe(storage.file);
    await saveToken(storage, OTHER, OLD_TOKEN);
    expect((await stat(storage.file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(storage.file, 'utf8'))).toEqual({
      stores: { [STORE]: { token: TOKEN }, [OTHER]: { token: OLD_TOKEN } },
    });
    expect(await storesWithToken(storage)).toEqual([STORE, OTHER]);
    await deleteToken(storage, STORE);
    expect(await storedToken(storage, STORE)).toBeNull();
    expect(await storedToken(storage, OTHER)).toBe(OLD_TOKEN);
    expect(await readdir(path.dirname(storage.file))).toEqual(['credentials.json']);
  });

  it('creates a private file and folder even with a umask of 0', async () => {
    const storage = await storageOf();
    const before = process.umask(0);
    try {
      await saveToken(storage, STORE, TOKEN);
    } finally {
      process.umask(before);
    }
    expect((await stat(storage.file)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(storage.file))).mode & 0o777).toBe(0o700);
  });

  it.each([0o640, 0o604, 0o620, 0o602, 0o666, 0o610])('refuses a file with the mode %o', async (mode) => {
    const storage = await storageWith(FILE, mode);
    const says = 'is readable or writable by other users';
    await expect(storedToken(storage, STORE)).rejects.toThrow(says);
    await expect(saveToken(storage, STORE, TOKEN)).rejects.toThrow(says);
    await expect(deleteToken(storage, STORE)).rejects.toThrow(says);
    expect(await readFile(storage.file, 'utf8')).toBe(FILE);
  });

  it('checks the mode of the target of a symbolic link', async () => {
    const storage = await storageWith(FILE, 0o644);
    const target = `${storage.file}.target`;
    await writeFile(target, FILE);
    await chmod(target, 0o644);
    await rm(storage.file);
    await symlink(target, storage.file);
    await expect(storedToken(storage, STORE)).rejects.toThrow('is readable or writable by other users');
  });

  it('does not block on a pipe in place of the file', async () => {
    const storage = await storageWith(FILE);
    await rm(storage.file);
    execFileSync('mkfifo', ['-m', '600', storage.file]);
    await expect(storedToken(storage, STORE)).rejects.toThrow(/corrupt|Cannot read/);
  });

  it('fails when the folder is not writable', async () => {
    const storage = await storageOf();
    await writeFile(path.dirname(storage.file), 'in the way');
    await expect(saveToken(storage, STORE, TOKEN)).rejects.toThrow(/Cannot (read|write) .* \(/);
  });

  it('refuses a file that is too large', async () => {
    const storage = await storageWith(FILE.padEnd(1024 * 1024 + 1));
    await expect(storedToken(storage, STORE)).rejects.toThrow('too large');
  });

  it.each([
    '',
    '{',
    `{"stores":{"${STORE}":{"token":"${TOKEN}"}`,
    'null',
    '{}',
    '{"stores":null}',
    `{"stores":{"${STORE}":null}}`,
    `{"stores":{"${STORE}":{"token":"svcd_x\\r\\nX-Evil: 1"}}}`,
    `{"stores":{"${STORE}":{"token":7,"keyring":"yes"}}}`,
  ])('reports %j as corrupt without quoting it', async (text) => {
    const error = await storedToken(await storageWith(text), STORE).catch((thrown: Error) => thrown);
    expect(error).not.toHaveProperty('cause');
    expect(String(error)).toMatch(/^CommandError: .* is corrupt/);
    expect(String(error)).not.toContain('svcd_');
  });

  it('returns only valid tokens for any content of the file', async () => {
    const storage = await storageWith(FILE);
    const entry = fc.oneof(
      fc.record({ token: fc.oneof(anyText(), fc.constant(TOKEN)) }),
      fc.record({ keyring: fc.boolean() }),
      fc.jsonValue(),
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(STORE, OTHER, '__proto__'), entry), async (stores) => {
        await writeFile(storage.file, JSON.stringify({ stores }));
        const token = await storedToken(storage, STORE).catch(() => null);
        expect(token === null || isDeviceToken(token)).toBe(true);
      }),
    );
  });
});
