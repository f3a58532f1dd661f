import { describe, expect, it } from 'vitest';
import { memoryKeyring, noKeyring, testCli } from '../support/command-context.ts';
import { deviceStore, OLD_TOKEN, refusal, TOKEN, WHO } from '../support/device-store.ts';

type Given = NonNullable<Parameters<typeof testCli>[1]>;

const loggedIn = async (env = {}, given: Given = {}) => {
  const store = await deviceStore();
  const cli = await testCli({ SVC_STORE: store.url, ...env }, given);
  await cli.run('login');
  store.seen.length = 0;
  return { ...cli, store };
};

describe('svc whoami', () => {
  it('shows the account of the saved token', async () => {
    const { run, store } = await loggedIn();
    const { code, out, err } = await run('whoami');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`logged in  ${store.url}\n  account     Anna (anna@example.org)\n`);
    expect(out).not.toContain('token from');
    expect(store.seen).toMatchObject([{ method: 'GET', authorization: `Bearer ${TOKEN}` }]);
  });

  it('prints the record of the store with --json', async () => {
    const { run } = await loggedIn();
    expect((await run('whoami', '--json')).out).toBe(`${JSON.stringify(WHO)}\n`);
  });

  it('prefers SVC_TOKEN to the saved token, and says so', async () => {
    const { run, store } = await loggedIn({ SVC_TOKEN: OLD_TOKEN });
    expect((await run('whoami')).out).toContain('token from  SVC_TOKEN');
    expect(store.seen[0]?.authorization).toBe(`Bearer ${OLD_TOKEN}`);
  });

  it('does not use the token of another store', async () => {
    const { run } = await loggedIn();
    const other = await deviceStore();
    const { code, err } = await run('whoami', '--store', other.url);
    expect(code).toBe(2);
    expect(err).toContain(`You are not logged in to ${other.url}. Run svc login`);
    expect(other.seen).toEqual([]);
  });

  it('says to log in again when the store refuses the saved token', async () => {
    const store = await deviceStore({ who: refusal(401, 'unauthorized') });
    const { run } = await testCli({ SVC_STORE: store.url });
    await run('login');
    const { code, err } = await run('whoami');
    expect(code).toBe(1);
    expect(err).toContain('Log in: svc login');
    expect(err).not.toContain('SVC_TOKEN');
  });

  it('reports a locked keyring', async () => {
    const { keyring } = memoryKeyring();
    let current = keyring;
    const changing = { ...keyring, get: (account: string) => current.get(account) };
    const { run } = await loggedIn({}, { keyring: changing });
    current = noKeyring;
    const { code, err } = await run('whoami');
    expect(code).toBe(1);
    expect(err).toContain('from the system keyring: it cannot be used');
  });
});

describe('a command that needs a token', () => {
  it.each([{ args: ['yank', 'com.example.tidy', '1.0.0', '--reason', 'Broken.'] }, { args: ['whoami'] }])(
    '$args uses the saved token, and suggests svc login without one',
    async ({ args }) => {
      const { run, store } = await loggedIn();
      await run(...args);
      expect(store.seen[0]?.authorization).toBe(`Bearer ${TOKEN}`);
      await run('logout');
      const { code, err } = await run(...args);
      expect(code).toBe(2);
      expect(err).toContain('svc login');
    },
  );
});
