import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Keyring } from '@svc/runtime/keyring';
import { anyText } from '@svc/testkit/any-text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  credentialsFile,
  forgetToken,
  isDeviceToken,
  keepToken,
  storedToken,
  storesWithToken,
} from '../../src/io/credentials.ts';
import { memoryKeyring, noKeyring, tempFolder } from '../support/command-context.ts';
import { OLD_TOKEN, TOKEN } from '../support/device-store.ts';

const STORE = 'https://store.example';
const OTHER = 'https://other.example/svc';

async function keeperOf(keyring: Keyring = noKeyring) {
  const env = { XDG_CONFIG_HOME: await tempFolder() };
  return { env, keyring, file: credentialsFile(env) };
}

/** A keeper whose file holds this text already. */
async function keeperWith(text: string, mode = 0o600) {
  const keeper = await keeperOf();
  await mkdir(path.dirname(keeper.file));
  await writeFile(keeper.file, text);
  await chmod(keeper.file, mode);
  return keeper;
}

const FILE = JSON.stringify({ stores: { [STORE]: { token: TOKEN } } });

describe('a machine with a keyring', () => {
  it('keeps the token there, and in the file only that it does', async () => {
    const { keyring, secrets } = memoryKeyring();
    const keeper = await keeperOf(keyring);
    expect(await keepToken(keeper, STORE, TOKEN)).toBeNull();
    expect([...secrets]).toEqual([[STORE, TOKEN]]);
    expect(await readFile(keeper.file, 'utf8')).not.toContain('svcd_');
    expect(await storedToken(keeper, STORE)).toBe(TOKEN);
    expect(await forgetToken(keeper, STORE)).toBe(true);
    expect([...secrets]).toEqual([]);
    expect(await readdir(path.dirname(keeper.file))).toEqual([]);
  });

  it('is not asked about a store that it holds nothing for', async () => {
    const asked: string[] = [];
    const get = async (account: string) => {
      asked.push(account);
      return null;
    };
    expect(await storedToken(await keeperOf({ ...noKeyring, get }), STORE)).toBeNull();
    expect(asked).toEqual([]);
  });

  it('takes the file instead when the keyring forgets what it took', async () => {
    const { keyring } = memoryKeyring();
    const keeper = await keeperOf({ ...keyring, set: async () => {} });
    expect(await keepToken(keeper, STORE, TOKEN)).toBe(keeper.file);
    expect(await storedToken(keeper, STORE)).toBe(TOKEN);
  });

  it('says that a locked keyring has the token, and is not without one', async () => {
    const { keyring } = memoryKeyring();
    const keeper = await keeperOf(keyring);
    await keepToken(keeper, STORE, TOKEN);
    const locked = { ...keeper, keyring: noKeyring };
    await expect(storedToken(locked, STORE)).rejects.toThrow('system keyring: it cannot be used');
    expect(await forgetToken(locked, STORE)).toBe(false);
    expect(await storedToken(locked, STORE)).toBeNull();
  });

  it.each([null, 'two words', 'x\r\nX-Evil: 1'])('takes %j out of the keyring for no token', async (held) => {
    const { keyring } = memoryKeyring();
    const keeper = await keeperOf(keyring);
    await keepToken(keeper, STORE, TOKEN);
    expect(
      await storedToken({ ...keeper, keyring: { ...keyring, get: async () => held } }, STORE),
    ).toBeNull();
  });
});

describe('a machine without a keyring', () => {
  it('keeps one token for each store in a file for the user alone', async () => {
    const keeper = await keeperOf();
    await keepToken(keeper, STORE, OLD_TOKEN);
    expect(await keepToken(keeper, STORE, TOKEN)).toBe(keeper.file);
    await keepToken(keeper, OTHER, OLD_TOKEN);
    expect((await stat(keeper.file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(keeper.file, 'utf8'))).toEqual({
      stores: { [STORE]: { token: TOKEN }, [OTHER]: { token: OLD_TOKEN } },
    });
    expect(await storesWithToken(keeper)).toEqual([STORE, OTHER]);
    await forgetToken(keeper, STORE);
    expect(await storedToken(keeper, STORE)).toBeNull();
    expect(await storedToken(keeper, OTHER)).toBe(OLD_TOKEN);
    expect(await readdir(path.dirname(keeper.file))).toEqual(['credentials.json']);
  });

  it('gives away no token when the umask lets everybody read', async () => {
    const keeper = await keeperOf();
    const before = process.umask(0);
    try {
      await keepToken(keeper, STORE, TOKEN);
    } finally {
      process.umask(before);
    }
    expect((await stat(keeper.file)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(keeper.file))).mode & 0o777).toBe(0o700);
  });

  it.each([0o640, 0o604, 0o620, 0o602, 0o666, 0o610])('uses no file with the rights %o', async (mode) => {
    const keeper = await keeperWith(FILE, mode);
    const says = 'may be read or written by others';
    await expect(storedToken(keeper, STORE)).rejects.toThrow(says);
    await expect(keepToken(keeper, STORE, TOKEN)).rejects.toThrow(says);
    await expect(forgetToken(keeper, STORE)).rejects.toThrow(says);
    expect(await readFile(keeper.file, 'utf8')).toBe(FILE);
  });

  it('looks at the rights of what a link points to', async () => {
    const keeper = await keeperWith(FILE, 0o644);
    const target = `${keeper.file}.target`;
    await writeFile(target, FILE);
    await chmod(target, 0o644);
    await rm(keeper.file);
    await symlink(target, keeper.file);
    await expect(storedToken(keeper, STORE)).rejects.toThrow('may be read or written by others');
  });

  it('does not wait for ever for a pipe in place of the file', async () => {
    const keeper = await keeperWith(FILE);
    await rm(keeper.file);
    execFileSync('mkfifo', ['-m', '600', keeper.file]);
    await expect(storedToken(keeper, STORE)).rejects.toThrow(/damaged|cannot be read/);
  });

  it('is at its end when the folder cannot be written', async () => {
    const keeper = await keeperOf();
    await writeFile(path.dirname(keeper.file), 'in the way');
    await expect(keepToken(keeper, STORE, TOKEN)).rejects.toThrow(/cannot be (read|written) \(/);
  });

  it('is given up with a file that is far too large', async () => {
    const keeper = await keeperWith(FILE.padEnd(1024 * 1024 + 1));
    await expect(storedToken(keeper, STORE)).rejects.toThrow('far too large');
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
  ])('takes %j for damaged, and does not repeat it', async (text) => {
    const error = await storedToken(await keeperWith(text), STORE).catch((thrown: Error) => thrown);
    expect(error).not.toHaveProperty('cause');
    expect(String(error)).toMatch(/^CommandError: .* are damaged/);
    expect(String(error)).not.toContain('svcd_');
  });

  it('hands out only tokens, whatever the file holds', async () => {
    const keeper = await keeperWith(FILE);
    const entry = fc.oneof(
      fc.record({ token: fc.oneof(anyText(), fc.constant(TOKEN)) }),
      fc.record({ keyring: fc.boolean() }),
      fc.jsonValue(),
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(STORE, OTHER, '__proto__'), entry), async (stores) => {
        await writeFile(keeper.file, JSON.stringify({ stores }));
        const token = await storedToken(keeper, STORE).catch(() => null);
        expect(token === null || isDeviceToken(token)).toBe(true);
      }),
    );
  });
});
