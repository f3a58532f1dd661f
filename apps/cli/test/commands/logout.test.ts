import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryKeyring, testCli } from '../support/command-context.ts';
import { deviceStore, refusal, TOKEN } from '../support/device-store.ts';

type Script = Parameters<typeof deviceStore>[0];
type Given = NonNullable<Parameters<typeof testCli>[1]>;

const loggedIn = async (script: Script = {}, given: Given = {}, env = {}) => {
  const store = await deviceStore(script);
  const cli = await testCli({ SVC_STORE: store.url, ...env }, given);
  await cli.run('login');
  store.seen.length = 0;
  const file = path.join(cli.env.XDG_CONFIG_HOME ?? '', 'svc', 'credentials.json');
  return { ...cli, store, file, kept: () => readFile(file, 'utf8').catch(() => null) };
};

describe('svc logout', () => {
  it('revokes the token, then deletes it', async () => {
    const { run, store, kept } = await loggedIn();
    expect(await run('logout')).toEqual({
      code: 0,
      out: `logged out  ${store.url}\n  The token is revoked and deleted.\n`,
      err: '',
    });
    expect(store.seen).toMatchObject([
      { method: 'DELETE', url: '/api/developer/token', authorization: `Bearer ${TOKEN}` },
    ]);
    expect(await kept()).toBeNull();
    expect(await run('logout')).toEqual({ code: 0, out: `Not logged in to ${store.url}.\n`, err: '' });
  });

  it('deletes it from the keyring too', async () => {
    const { keyring, secrets } = memoryKeyring();
    const { run, kept } = await loggedIn({}, { keyring });
    expect((await run('logout')).code).toBe(0);
    expect([...secrets]).toEqual([]);
    expect(await kept()).toBeNull();
  });

  it('reports when the keyring may still hold it', async () => {
    const { keyring } = memoryKeyring();
    const remove = () => Promise.reject(new Error('locked'));
    const { run } = await loggedIn({}, { keyring: { ...keyring, delete: remove } });
    const { code, err } = await run('logout');
    expect(code).toBe(0);
    expect(err).toContain('may still hold the token');
  });

  it('deletes a token that is already invalid', async () => {
    const { run, kept } = await loggedIn({ revoke: refusal(401, 'unauthorized') });
    const { code, out } = await run('logout');
    expect(code).toBe(0);
    expect(out).toContain('The token was already invalid');
    expect(await kept()).toBeNull();
  });

  it.each<{ revoke: NonNullable<Script>['revoke']; says: string }>([
    { revoke: 'hang up', says: 'Cannot reach the store' },
    { revoke: refusal(503, 'unavailable'), says: 'No: unavailable.' },
    { revoke: refusal(403, 'forbidden'), says: 'No: forbidden.' },
    { revoke: { status: 502, body: 'a proxy' }, says: 'HTTP 502' },
  ])('deletes a token that could not be revoked ($says) only with --local', async ({ revoke, says }) => {
    const { run, store, kept } = await loggedIn({ ...(revoke && { revoke }) });
    const { code, out, err } = await run('logout');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(says);
    expect(err).toContain('svc logout --local');
    expect(await kept()).toContain(TOKEN);

    store.seen.length = 0;
    const local = await run('logout', '--local');
    expect(local.code).toBe(0);
    expect(local.out).toContain('still valid');
    expect(store.seen).toEqual([]);
    expect(await kept()).toBeNull();
  });

  it('deletes tokens of other stores only with --all', async () => {
    const { run, store, kept } = await loggedIn();
    const away = await deviceStore({ revoke: 'hang up' });
    const third = await deviceStore();
    for (const { url } of [away, third]) await run('login', '--store', url);
    await run('logout');
    expect(await kept()).not.toContain(store.url);

    const { code, out, err } = await run('logout', '--all');
    expect(code).toBe(1);
    expect(out).toBe(`logged out  ${third.url}\n  The token is revoked and deleted.\n`);
    expect(err).toContain(`The token for ${away.url} is not deleted`);
    expect(Object.keys(JSON.parse((await kept()) ?? '').stores)).toEqual([away.url]);

    expect((await run('logout', '--all', '--local')).code).toBe(0);
    expect((await run('logout', '--all')).out).toBe('Not logged in.\n');
  });

  it('warns that SVC_TOKEN is still set, and does not revoke it', async () => {
    const { run, store } = await loggedIn({}, {}, { SVC_TOKEN: 'svcc_of-the-environment' });
    expect((await run('logout')).err).toBe('SVC_TOKEN is still set and still in use.\n');
    expect(store.seen).toMatchObject([{ authorization: `Bearer ${TOKEN}` }]);
  });

  it('sends no token over plain http to another machine', async () => {
    const { run, store, file, kept } = await loggedIn();
    await writeFile(file, ((await kept()) ?? '').replace(store.url, 'http://store.example'));
    const { code, out, err } = await run('logout', '--store', 'http://store.example');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('Use https');
    expect(await kept()).toContain(TOKEN);
  });
});
