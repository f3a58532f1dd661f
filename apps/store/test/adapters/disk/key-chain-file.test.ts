import { randomUUID } from 'node:crypto';
import {
  copyFile,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyKeyChain } from '@svc/signing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readKeyChain, rotateSigningKey } from '../../../src/adapters/disk/key-chain-file.ts';
import { openSigningKey } from '../../../src/adapters/disk/signing-key-file.ts';

const LATER = '2099-01-01T00:00:00.000Z';
const LATER_STILL = '2099-01-02T00:00:00.000Z';

/** An announcement of the new chain without effect. */
const announceNothing = async () => {};

/** A folder with a key. `start` reads the key and the chain, like a store that starts. */
async function keyFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-chain-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'key.pem');
  const key = await openSigningKey(file, randomUUID);
  const start = async () => {
    const current = await openSigningKey(file, randomUUID);
    return { keyId: current.keyId, chain: await readKeyChain(file, current) };
  };
  return { folder, file, chainFile: `${file}.chain.json`, key, start };
}

describe('a key that was never rotated', () => {
  it('has a chain of one key, and no chain file', async () => {
    const { folder, key, start } = await keyFolder();
    const { chain } = await start();
    expect(chain).toEqual([
      { keyId: key.keyId, publicKeyPem: key.publicKeyPem, createdAt: expect.stringMatching(/Z$/) },
    ]);
    expect(await readdir(folder)).toEqual(['key.pem']);
    expect((await start()).chain).toEqual(chain);
  });
});

describe('a rotation', () => {
  it('replaces the key by a new one that the old key signed, and deletes the old private key', async () => {
    const { folder, file, key, start } = await keyFolder();
    const before = await readFile(file, 'utf8');
    const made = await rotateSigningKey(file, LATER, announceNothing);
    const { keyId, chain } = await start();
    expect(chain).toEqual(made);
    expect(keyId).not.toBe(key.keyId);
    expect(verifyKeyChain(key, chain)).toMatchObject({ ok: true, keys: [{ keyId: key.keyId }, { keyId }] });
    expect((await readdir(folder)).sort()).toEqual(['key.pem', 'key.pem.chain.json']);
    for (const name of await readdir(folder)) {
      expect(await readFile(join(folder, name), 'utf8')).not.toContain(before);
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    }
  });

  it('deletes the old private key where a link leads to, and keeps the link', async () => {
    const { folder, file } = await keyFolder();
    const safe = join(folder, 'safe.pem');
    await rename(file, safe);
    await symlink(safe, file);
    const before = await readFile(safe, 'utf8');
    const made = await rotateSigningKey(file, LATER, announceNothing);
    expect(await readFile(safe, 'utf8')).not.toBe(before);
    expect(await readlink(file)).toBe(safe);
    expect((await openSigningKey(file, randomUUID)).keyId).toBe(made.at(-1)?.keyId);
    expect((await readdir(folder)).sort()).toEqual(['key.pem', 'key.pem.chain.json', 'safe.pem']);
  });

  it('can be followed by another rotation', async () => {
    const { file, key, start } = await keyFolder();
    await rotateSigningKey(file, LATER, announceNothing);
    await rotateSigningKey(file, LATER_STILL, announceNothing);
    const { chain } = await start();
    expect(chain.map(({ retiredAt }) => retiredAt)).toEqual([LATER, LATER_STILL, undefined]);
    expect(verifyKeyChain(key, chain).ok).toBe(true);
  });

  it('adds one key to the chain for each concurrent call that succeeds', async () => {
    const { file, key, start } = await keyFolder();
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) =>
        rotateSigningKey(file, `2099-01-01T00:00:0${n}.000Z`, announceNothing),
      ),
    );
    const done = results.filter(({ status }) => status === 'fulfilled').length;
    const { chain } = await start();
    expect(done).toBeGreaterThan(0);
    expect(chain).toHaveLength(1 + done);
    expect(verifyKeyChain(key, chain).ok).toBe(true);
  });

  it('dates the new key after the old one, also when the clock was set back in between', async () => {
    const { file, key, start } = await keyFolder();
    const [first, second] = await rotateSigningKey(file, '2001-01-01T00:00:00.000Z', announceNothing);
    expect(Date.parse(String(second?.createdAt))).toBe(Date.parse(String(first?.createdAt)) + 1);
    const { chain } = await start();
    expect(verifyKeyChain(key, chain).ok).toBe(true);
  });

  it('keeps the old key when the announcement fails', async () => {
    const { file, key, start } = await keyFolder();
    const announce = async (chain: readonly unknown[]) => {
      throw new Error(`${chain.length} keys, and nobody to tell`);
    };
    await expect(rotateSigningKey(file, LATER, announce)).rejects.toThrow('2 keys, and nobody to tell');
    expect(await start()).toMatchObject({ keyId: key.keyId, chain: [{ keyId: key.keyId }] });
    expect(await rotateSigningKey(file, LATER, announceNothing)).toHaveLength(2);
  });

  it('fails without an existing key, and creates none', async () => {
    const { folder, file } = await keyFolder();
    await rm(file);
    await expect(rotateSigningKey(file, LATER, announceNothing)).rejects.toThrow('ENOENT');
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('a rotation that is killed', () => {
  /** A folder after a rotation, with the old key in `old.pem`: tests rebuild from it the files that a kill between two steps leaves. */
  async function rotated() {
    const made = await keyFolder();
    await copyFile(made.file, join(made.folder, 'old.pem'));
    await rotateSigningKey(made.file, LATER, announceNothing);
    const next = (await made.start()).keyId;
    const undoRename = async () => {
      await copyFile(made.file, `${made.file}.next`);
      await copyFile(join(made.folder, 'old.pem'), made.file);
    };
    return { ...made, next, undoRename };
  }

  it('before it writes the chain, keeps the old key, and the next rotation names the file to remove', async () => {
    const { file, chainFile, key, start, undoRename } = await rotated();
    await undoRename();
    await rm(chainFile);
    expect(await start()).toMatchObject({ keyId: key.keyId, chain: [{ keyId: key.keyId }] });
    await expect(rotateSigningKey(file, LATER, announceNothing)).rejects.toThrow('remove the file');
    expect((await start()).keyId).toBe(key.keyId);
  });

  it('while it writes the chain, keeps the old key, and the next rotation replaces the unfinished chain file', async () => {
    const { file, chainFile, key, start, undoRename } = await rotated();
    await undoRename();
    await rm(chainFile);
    await writeFile(`${chainFile}.next`, '{"keys":[');
    expect(await start()).toMatchObject({ keyId: key.keyId, chain: [{ keyId: key.keyId }] });
    await rm(`${file}.next`);
    expect(await rotateSigningKey(file, LATER, announceNothing)).toHaveLength(2);
  });

  it('after it writes the chain, keeps the old key as the current one', async () => {
    const { file, key, next, start, undoRename } = await rotated();
    await undoRename();
    const { keyId, chain } = await start();
    expect(keyId).toBe(key.keyId);
    expect(chain).toEqual([{ keyId, publicKeyPem: key.publicKeyPem, createdAt: expect.any(String) }]);
    await rm(`${file}.next`);
    const again = await rotateSigningKey(file, LATER_STILL, announceNothing);
    expect(again).toHaveLength(2);
    expect(again.map((one) => one.keyId)).not.toContain(next);
    expect((await start()).chain).toEqual(again);
  });
});

describe('a chain file', () => {
  it.each([
    ['damaged', () => '{"keys":['],
    ['empty', () => '{"keys":[]}'],
    ['with an unknown first key', (text: string) => text.replace(/ed25519-[0-9a-f]{4}/, 'ed25519-0000')],
    ['with a signature changed', (text: string) => text.replace(/"signature": "./, '"signature": "_')],
    ['with a changed time', (text: string) => text.replaceAll(LATER, LATER_STILL)],
  ])('%s is rejected', async (_what, change) => {
    const { file, chainFile, start } = await keyFolder();
    await rotateSigningKey(file, LATER, announceNothing);
    const text = await readFile(chainFile, 'utf8');
    expect(change(text)).not.toBe(text);
    await writeFile(chainFile, change(text));
    await expect(start()).rejects.toThrow();
  });

  it('of another key is rejected', async () => {
    const [one, other] = [await keyFolder(), await keyFolder()];
    await rotateSigningKey(one.file, LATER, announceNothing);
    await copyFile(one.chainFile, other.chainFile);
    await expect(other.start()).rejects.toThrow('does not lead to the key');
  });
});
