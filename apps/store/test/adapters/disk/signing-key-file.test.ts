import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSigningKey } from '../../../src/adapters/disk/signing-key-file.ts';

async function folder() {
  const made = await mkdtemp(join(tmpdir(), 'svc-key-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

describe('the signing key', () => {
  it('is created once, readable only by its owner, and then loaded from its file', async () => {
    const file = join(await folder(), 'keys', 'key.pem');
    const made = await openSigningKey(file, randomUUID);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await openSigningKey(file, randomUUID)).keyId).toBe(made.keyId);
    expect(await readdir(join(file, '..'))).toEqual(['key.pem']);
  });

  it('gets permissions for its owner only, if others could read it', async () => {
    const file = join(await folder(), 'key.pem');
    await openSigningKey(file, randomUUID);
    await chmod(file, 0o644);
    await openSigningKey(file, randomUUID);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('is not created in the place of a link to a file that does not exist', async () => {
    const file = join(await folder(), 'key.pem');
    await symlink(`${file}.gone`, file);
    await expect(openSigningKey(file, randomUUID)).rejects.toThrow('is a link to a file that does not exist');
    expect(await readdir(join(file, '..'))).toEqual(['key.pem']);
  });

  it('is never replaced, also when its file is invalid', async () => {
    const file = join(await folder(), 'key.pem');
    await writeFile(file, 'damaged');
    await expect(openSigningKey(file, randomUUID)).rejects.toThrow();
    expect((await stat(file)).size).toBe('damaged'.length);
  });
});
