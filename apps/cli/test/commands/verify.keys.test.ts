import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { appBundle } from '../support/app-folder.ts';
import { testCli } from '../support/command-context.ts';
import { chainOf, firstKeys, headersOf, newKey, storeWith, TARGET } from '../support/signed-store.ts';

describe('svc verify on a machine whose operator set the key of the store', () => {
  it('trusts that key at the first use, and no other one that the store or an earlier pin offers', async () => {
    const { url, key, run } = await storeWith(appBundle());
    const onMachine = async (publicKeyPem: string, env = {}) =>
      (await testCli({ SVC_STORE: url, ...env }, { company: { store: url, publicKeyPem } })).run(
        'verify',
        TARGET,
      );
    const right = await onMachine(key.publicKeyPem);
    expect(right).toMatchObject({ code: 0, err: '' });
    expect((await onMachine(newKey().publicKeyPem)).code).toBe(1);
    // The user has pinned the key that the store has, and the operator another one.
    const { cwd } = await testCli();
    const env = { XDG_CONFIG_HOME: cwd };
    expect((await (await testCli({ SVC_STORE: url, ...env })).run('verify', TARGET)).code).toBe(0);
    expect((await onMachine(newKey().publicKeyPem, env)).code).toBe(1);
    expect((await run('verify', TARGET)).err).toContain('first use');
  });
});

describe('svc verify', () => {
  it('refuses a key that changed, and pins nothing', async () => {
    const { run, said, pins } = await storeWith(appBundle());
    await run('verify', TARGET);
    const before = await readFile(pins, 'utf8');
    const other = newKey();
    Object.assign(said, { headers: headersOf(said.bytes, other), keys: firstKeys(other) });
    const { code, out, err } = await run('verify', TARGET);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`signed with the key ${other.keyId}`);
    expect(err).toContain('is not signed by the one you trust');
    expect(err).toContain(pins);
    expect(await readFile(pins, 'utf8')).toBe(before);
  });

  it('accepts a new key that the pinned one has signed, reports it, and pins it', async () => {
    const { run, said, key, url, pins } = await storeWith(appBundle());
    await run('verify', TARGET);
    const [between, current] = [newKey(), newKey()];
    said.keys = chainOf(key, between, current);
    said.headers = headersOf(said.bytes, current);
    const { code, out, err } = await run('verify', TARGET);
    expect(code).toBe(0);
    expect(out).toContain(`${current.keyId} (successor of ${key.keyId}, pinned for this store)`);
    expect(err).toContain(
      `has a new key, ${current.keyId}, signed by ${key.keyId}, which you trust. The new key is now pinned`,
    );
    const earlier = [key, between].map(({ keyId, publicKeyPem }) => ({ keyId, publicKeyPem }));
    expect(JSON.parse(await readFile(pins, 'utf8'))).toEqual({
      stores: { [url]: { keyId: current.keyId, publicKeyPem: current.publicKeyPem, earlier } },
    });
    // Versions signed with older keys still verify, without output and without requesting keys from the store.
    said.keys = null;
    for (const signer of [key, between, current]) {
      said.headers = headersOf(said.bytes, signer);
      expect(await run('verify', TARGET)).toMatchObject({ code: 0, err: '' });
    }
  });

  it('says that an earlier key signed a version, whatever the version names its key', async () => {
    const { run, said, key } = await storeWith(appBundle());
    await run('verify', TARGET);
    const current = newKey();
    said.keys = chainOf(key, current);
    said.headers = headersOf(said.bytes, current);
    await run('verify', TARGET);
    said.headers = { ...headersOf(said.bytes, key), 'X-Svc-Key-Id': 'any-name' };
    expect((await run('verify', TARGET)).out).toContain('any-name (an earlier key of the store');
  });

  it('refuses a chain that forks from a retired key', async () => {
    const { run, said, key, pins } = await storeWith(appBundle());
    const [current, thief] = [newKey(), newKey()];
    said.keys = chainOf(key, current);
    await run('verify', TARGET);
    const before = await readFile(pins, 'utf8');
    said.keys = chainOf(key, thief);
    said.headers = headersOf(said.bytes, thief);
    const { code, err } = await run('verify', TARGET);
    expect(code).toBe(1);
    expect(err).toContain(`the key pinned for this store is ${current.keyId}`);
    expect(await readFile(pins, 'utf8')).toBe(before);
  });

  it('does not pin a new key when a bundle fails', async () => {
    const { run, said, key, pins } = await storeWith(appBundle());
    await run('verify', TARGET);
    const before = await readFile(pins, 'utf8');
    const current = newKey();
    said.keys = chainOf(key, current);
    said.headers = { ...headersOf(said.bytes, newKey()), 'X-Svc-Key-Id': current.keyId };
    expect((await run('verify', TARGET)).err).toContain('The signature is not valid');
    expect(await readFile(pins, 'utf8')).toBe(before);
  });

  it('pins all keys of a chain on first use, so that older versions verify', async () => {
    const { run, said, key } = await storeWith(appBundle());
    const current = newKey();
    said.keys = chainOf(key, newKey(), current);
    const first = await run('verify', TARGET);
    expect(first.code).toBe(0);
    expect(first.out).toContain(
      `${key.keyId} (an earlier key of the store; its current key is ${current.keyId}, offered by the store`,
    );
    expect(await run('verify', TARGET)).toMatchObject({ code: 0, err: '' });
  });

  it('works with a store that publishes only its current key', async () => {
    const { run, said, key } = await storeWith(appBundle());
    said.keys = null;
    const { code, err } = await run('verify', TARGET);
    expect(code).toBe(0);
    expect(err).toContain(`its key ${key.keyId} is now pinned`);
    said.headers = headersOf(said.bytes, newKey());
    expect((await run('verify', TARGET)).err).toContain('is not signed by the one you trust');
  });

  it('refuses another key with the id of the pinned key', async () => {
    const { run, said, key } = await storeWith(appBundle());
    await run('verify', TARGET);
    said.headers = { ...headersOf(said.bytes, newKey()), 'X-Svc-Key-Id': key.keyId };
    expect(await run('verify', TARGET)).toMatchObject({ code: 1, out: '' });
  });

  it('does not trust a key for a bundle that fails', async () => {
    const { run, said, pins } = await storeWith(appBundle());
    said.headers['X-Svc-Published-At'] = '2026-01-02T03:04:05.679Z';
    const { code, err } = await run('verify', TARGET);
    expect(code).toBe(1);
    expect(err).toContain('The signature is not valid');
    await expect(stat(pins)).rejects.toThrow('ENOENT');
  });

  it('refuses an offered key whose id does not match', async () => {
    const { run, said, key } = await storeWith(appBundle());
    const [honest] = firstKeys(key);
    for (const publicKeyPem of [newKey().publicKeyPem, 'no key']) {
      said.keys = [{ ...honest, publicKeyPem }];
      expect((await run('verify', TARGET)).err).toContain('Do not trust them');
    }
    const [, unsigned] = chainOf(newKey(), key);
    said.keys = [...firstKeys(newKey()), { ...unsigned }];
    expect((await run('verify', TARGET)).err).toContain('Do not trust them');
  });

  it('fails when the pins are corrupt, instead of pinning again', async () => {
    const { run, pins, url, key } = await storeWith(appBundle());
    await run('verify', TARGET);
    const mismatched = { keyId: newKey().keyId, publicKeyPem: key.publicKeyPem };
    for (const text of ['', '[]', '{"stores":null}', JSON.stringify({ stores: { [url]: mismatched } })]) {
      await writeFile(pins, text);
      const { code, err } = await run('verify', TARGET);
      expect({ code, says: err.includes('corrupt') }).toEqual({ code: 1, says: true });
    }
  });

  it('verifies with --key, and pins nothing', async () => {
    const { run, cwd, key, pins, seen } = await storeWith(appBundle());
    await writeFile(path.join(cwd, 'key.pem'), key.publicKeyPem);
    const { code, out } = await run('verify', TARGET, '--key', 'key.pem');
    expect(code).toBe(0);
    expect(out).toContain('named with --key');
    expect(seen.some(({ url }) => url.startsWith('/api/apps/public-key'))).toBe(false);
    await expect(stat(pins)).rejects.toThrow('ENOENT');
  });

  it('accepts a successor of --key, and pins nothing', async () => {
    const { run, cwd, said, key, pins } = await storeWith(appBundle());
    await writeFile(path.join(cwd, 'key.pem'), key.publicKeyPem);
    const current = newKey();
    said.keys = chainOf(key, current);
    said.headers = headersOf(said.bytes, current);
    const { code, err } = await run('verify', TARGET, '--key', 'key.pem');
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringContaining(
        `has a new key, ${current.keyId}, signed by ${key.keyId}, which you trust.\n`,
      ),
    });
    await expect(stat(pins)).rejects.toThrow('ENOENT');
  });
});
