import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readKeyFile, writeKeyFile } from '../../src/vault/vault-key.ts';
import { tempFolder } from '../support/temp-folder.ts';

const KEY = Buffer.alloc(32, 7);

describe('the key of a vault in a file', () => {
  it('is complete, readable only by its owner, and leaves no temporary file', async () => {
    const file = join(await tempFolder(), 'keys', 'vault.key');
    await writeKeyFile(file, KEY);
    expect(await readKeyFile(file)).toEqual(KEY);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(dirname(file))).toEqual(['vault.key']);
  });

  it('is never overwritten, and can be written despite an incomplete temporary file', async () => {
    const file = join(await tempFolder(), 'vault.key');
    await writeFile(`${file}.tmp`, '');
    await writeKeyFile(file, KEY);
    const before = await readFile(file, 'utf8');
    await expect(writeKeyFile(file, Buffer.alloc(32, 8))).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await readFile(file, 'utf8')).toBe(before);
    expect(await readdir(dirname(file))).toEqual(['vault.key']);
  });

  it.each([
    ['empty', '', 'is empty. Bring it back from a backup'],
    ['not a key', 'garbage', 'is no key of a vault'],
  ])('is refused with the reason when it is %s', async (_name, text, why) => {
    const file = join(await tempFolder(), 'vault.key');
    await writeFile(file, text, { mode: 0o600 });
    await expect(readKeyFile(file)).rejects.toMatchObject({ code: 'vault-locked' });
    await expect(readKeyFile(file)).rejects.toThrow(why);
  });
});
