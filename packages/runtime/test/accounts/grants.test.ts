import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { HOUR, type TestAccounts, USE } from '../support/open-accounts.ts';
import { grantsOf, signInWorld } from '../support/sign-in-world.ts';

describe('two processes with 100 calls after a token has expired', () => {
  const SOURCES = ['accounts/accounts', 'events/events'].map(
    (name) => new URL(`../../src/${name}.ts`, import.meta.url).href,
  );
  const PROGRAM = `
    import { randomBytes } from 'node:crypto';
    const [{ openAccounts }, { createEvents }] = await Promise.all(${JSON.stringify(SOURCES)}.map((url) => import(url)));
    const { folder, store, app, use, ahead } = JSON.parse(process.argv[1]);
    const sleep = (ms, signal) => new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => { clearTimeout(timer); reject(signal.reason); });
    });
    const accounts = openAccounts({
      folder, store, keys: [{ kind: 'key-file', file: folder + '/key' }],
      system: { now: () => Date.now() + ahead, randomBytes, sleep },
      events: createEvents(() => {}), guard: () => fetch, fetchStore: fetch,
      identity: { name: 'Another window' }, openBrowser: async () => {},
    });
    process.stdout.write('ready\\n');
    process.stdin.once('data', async () => {
      const calls = Array.from({ length: 50 }, () => accounts.token(app, 'main', use));
      process.stdout.write(JSON.stringify(await Promise.all(calls)) + '\\n');
      accounts.close();
      process.exit(0);
    });`;

  /** Another window of the client, an hour later. */
  async function anotherProcess(accounts: TestAccounts, store: string, app: unknown) {
    const input = JSON.stringify({ folder: accounts.folder, store, app, use: USE, ahead: HOUR });
    const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, input], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    return async (): Promise<unknown[]> => {
      child.stdin.end('go');
      return JSON.parse(await text(child.stdout));
    };
  }

  it('send one refresh request, and every call receives the new token', async () => {
    const { accounts, app, oidc, relay } = await signInWorld();
    await accounts.connect(app, 'main');
    const old = await accounts.token(app, 'main', USE);
    accounts.pass(HOUR);
    const { consent: _consent, ...plain } = app;
    const there = await anotherProcess(accounts, relay.url, plain);
    const here = Array.from({ length: 50 }, () => accounts.token(app, 'main', USE));
    const tokens = (await Promise.all([there(), ...here])).flat();
    expect(tokens).toHaveLength(100);
    expect(new Set(tokens).size).toBe(1);
    expect(tokens[0]).not.toBe(old);
    expect(await oidc.find(String(tokens[0]))).toBeDefined();
    expect(grantsOf(oidc.tokenRequests)).toEqual(['authorization_code', 'refresh_token']);
    expect(accounts.activity(app.appId, 'main', 1000)).toHaveLength(101);
  });
});
