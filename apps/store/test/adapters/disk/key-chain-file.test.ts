import { randomUUID } from 'node:crypto';
import { copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyKeyChain } from '@svc/signing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readKeyChain, rotateSigningKey } from '../../../src/adapters/disk/key-chain-file.ts';
import { openSigningKey } from '../../../src/adapters/disk/signing-key-file.ts';

const LATER = '2099-01-01T00:00:00.000Z';
const LATER_STILL = '2099-01-02T00:00:00.000Z';

/** Nobody waits to be told of the chain. */
const unheard = async () => {};

/** A folder with a key, and what a store that starts on it would find. */
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
  it('is a chain of one, without a file for it', async () => {
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
  it('puts a new key in force, signed by the old one, whose private half is gone', async () => {
    const { folder, file, key, start } = await keyFolder();
    const before = await readFile(file, 'utf8');
    const made = await rotateSigningKey(file, LATER, unheard);
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

  it('can be followed by another', async () => {
    const { file, key, start } = await keyFolder();
    await rotateSigningKey(file, LATER, unheard);
    await rotateSigningKey(file, LATER_STILL, unheard);
    const { chain } = await start();
    expect(chain.map(({ retiredAt }) => retiredAt)).toEqual([LATER, LATER_STILL, undefined]);
    expect(verifyKeyChain(key, chain).ok).toBe(true);
  });

  it('happens once, when many are asked for at once', async () => {
    const { file, key, start } = await keyFolder();
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) => rotateSigningKey(file, `2099-01-01T00:00:0${n}.000Z`, unheard)),
    );
    const done = results.filter(({ status }) => status === 'fulfilled').length;
    const { chain } = await start();
    expect(done).toBeGreaterThan(0);
    expect(chain).toHaveLength(1 + done);
    expect(verifyKeyChain(key, chain).ok).toBe(true);
  });

  it('follows the key before it, though the clock was ahead when that one was made', async () => {
    const { file, key, start } = await keyFolder();
    const [first, second] = await rotateSigningKey(file, '2001-01-01T00:00:00.000Z', unheard);
    expect(Date.parse(String(second?.createdAt))).toBe(Date.parse(String(first?.createdAt)) + 1);
    const { chain } = await start();
    expect(verifyKeyChain(key, chain).ok).toBe(true);
  });

  it('leaves the old key in force when it cannot be announced', async () => {
    const { file, key, start } = await keyFolder();
    const announce = async (chain: readonly unknown[]) => {
      throw new Error(`${chain.length} keys, and nobody to tell`);
    };
    await expect(rotateSigningKey(file, LATER, announce)).rejects.toThrow('2 keys, and nobody to tell');
    expect(await start()).toMatchObject({ keyId: key.keyId, chain: [{ keyId: key.keyId }] });
    expect(await rotateSigningKey(file, LATER, unheard)).toHaveLength(2);
  });

  it('makes no first key', async () => {
    const { folder, file } = await keyFolder();
    await rm(file);
    await expect(rotateSigningKey(file, LATER, unheard)).rejects.toThrow('ENOENT');
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('a rotation that was killed', () => {
  /** Both states of a folder, to put together what a kill between two steps leaves. */
  async function rotated() {
    const made = await keyFolder();
    await copyFile(made.file, join(made.folder, 'old.pem'));
    await rotateSigningKey(made.file, LATER, unheard);
    const next = (await made.start()).keyId;
    const undoRename = async () => {
      await copyFile(made.file, `${made.file}.next`);
      await copyFile(join(made.folder, 'old.pem'), made.file);
    };
    return { ...made, next, undoRename };
  }

  it('before the chain was written leaves the old key, and says what is in the way', async () => {
    const { file, chainFile, key, start, undoRename } = await rotated();
    await undoRename();
    await rm(chainFile);
    expect(await start()).toMatchObject({ keyId: key.keyId, chain: [{ keyId: key.keyId }] });
    await expect(rotateSigningKey(file, LATER, unheard)).rejects.toThrow('remove the file');
    expect((await start()).keyId).toBe(key.keyId);
  });

  it('while the chain was written leaves the old key, and the next one does not mind the draft', async () => {
    const { file, chainFile, key, start, undoRename } = await rotated();
    await undoRename();
    await rm(chainFile);
    await writeFile(`${chainFile}.next`, '{"keys":[');
    expect(await start()).toMatchObject({ keyId: key.keyId, chain: [{ keyId: key.keyId }] });
    await rm(`${file}.next`);
    expect(await rotateSigningKey(file, LATER, unheard)).toHaveLength(2);
  });

  it('after the chain was written leaves the old key, as the current one', async () => {
    const { file, key, next, start, undoRename } = await rotated();
    await undoRename();
    const { keyId, chain } = await start();
    expect(keyId).toBe(key.keyId);
    expect(chain).toEqual([{ keyId, publicKeyPem: key.publicKeyPem, createdAt: expect.any(String) }]);
    await rm(`${file}.next`);
    const again = await rotateSigningKey(file, LATER_STILL, unheard);
    expect(again).toHaveLength(2);
    expect(again.map((one) => one.keyId)).not.toContain(next);
    expect((await start()).chain).toEqual(again);
  });
});

describe('a chain file', () => {
  it.each([
    ['damaged', () => '{"keys":['],
    ['empty', () => '{"keys":[]}'],
    [
      'that names a stranger as the first key',
      (text: string) => text.replace(/ed25519-[0-9a-f]{4}/, 'ed25519-0000'),
    ],
    ['with a signature changed', (text: string) => text.replace(/"signature": "./, '"signature": "_')],
    ['of another time', (text: string) => text.replaceAll(LATER, LATER_STILL)],
  ])('%s is refused, not served', async (_what, change) => {
    const { file, chainFile, start } = await keyFolder();
    await rotateSigningKey(file, LATER, unheard);
    const text = await readFile(chainFile, 'utf8');
    expect(change(text)).not.toBe(text);
    await writeFile(chainFile, change(text));
    await expect(start()).rejects.toThrow();
  });

  it('of another key is refused', async () => {
    const [one, other] = [await keyFolder(), await keyFolder()];
    await rotateSigningKey(one.file, LATER, unheard);
    await copyFile(one.chainFile, other.chainFile);
    await expect(other.start()).rejects.toThrow('does not lead to the key');
  });
});
