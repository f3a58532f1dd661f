import { createHash, randomBytes } from 'node:crypto';
import type { Account } from '@svc/contracts';
import { TIMEOUT_MS } from '@svc/testkit';
import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../apps/store/src/composition/serve.ts';
import { openTestStore } from '../apps/store/test/support/test-store.ts';
import { NEEDS_BROWSER, openBrowser } from '../apps/web/test/support/real-browser.ts';
import { testAccounts, USE } from '../packages/runtime/test/support/open-accounts.ts';
import { appWith, fromStore } from '../packages/runtime/test/support/sample-apps.ts';

const STORE = 'http://store.example';
/** An address of documentation (RFC 5737): that of a client on another machine than the browser. */
const ELSEWHERE = '203.0.113.9';

/** An authorization server that remembers the consent of the user in a cookie, and redirects without a click from then on. */
async function rememberingServer() {
  const challenges = new Map<string, string>();
  function redirect(asked: URLSearchParams): string {
    const code = randomBytes(8).toString('hex');
    challenges.set(code, asked.get('code_challenge') ?? '');
    return `${asked.get('redirect_uri')}?${new URLSearchParams({ state: asked.get('state') ?? '', code })}`;
  }
  function exchange(form: URLSearchParams): object {
    const verifier = createHash('sha256').update(form.get('code_verifier') ?? '');
    const isRight = challenges.get(form.get('code') ?? '') === verifier.digest('base64url');
    return isRight ? { access_token: 'token-of-the-victim' } : { error: 'invalid_grant' };
  }
  return serveHere((own) => async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', own);
    if (pathname === '/token') {
      let body = '';
      for await (const chunk of request) body += chunk;
      response.setHeader('content-type', 'application/json');
      return void response.end(JSON.stringify(exchange(new URLSearchParams(body))));
    }
    if (pathname === '/consent') response.setHeader('set-cookie', 'consent=given; Path=/');
    else if (request.headers.cookie === 'consent=given')
      response.writeHead(302, { location: redirect(searchParams) });
    response.end();
  });
}

/** A store, a provider, a site of the attacker, and the browser of a user who agreed at the provider earlier. */
async function world() {
  const store = await openTestStore({
    environment: { SVC_BASE_URL: STORE, SVC_TRUSTED_PROXIES: '127.0.0.1' },
  });
  const server = await listen(store, 0, '127.0.0.1');
  const provider = await rememberingServer();
  let bait = '';
  const evil = await serveHere(() => (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(bait);
  });
  const port = (url: string) => new URL(url).port;
  const rules = [
    `MAP store.example:80 127.0.0.1:${server.port}`,
    `MAP evil.example:80 127.0.0.1:${port(evil)}`,
  ];
  const browser = await openBrowser([`--host-resolver-rules=${rules.join(', ')}`]);
  onTestFinished(async () => {
    await browser.close();
    await server.close();
  });
  const page = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  await page.goto(`${provider}/consent`);
  const account: Account = {
    id: 'main',
    label: 'Notes',
    authorizeUrl: `${provider}/authorize`,
    tokenUrl: `${provider}/token`,
    clientId: 'public-client',
    scopes: ['read'],
  };
  const app = appWith([account], { source: fromStore(STORE) });

  /** A client at an address, and the sign-in that it starts. */
  async function client(address: string) {
    let polls = 0;
    const accounts = await testAccounts({
      store: STORE,
      guard: () => fetch,
      loopbackOf: () => true,
      openBrowser: async () => {},
      fetchStore: (input, init) => {
        polls += 1;
        const url = String(input).replace(STORE, `http://127.0.0.1:${server.port}`);
        return fetch(url, { ...init, headers: { ...(init?.headers as object), 'x-forwarded-for': address } });
      },
    });
    const connected = accounts.connect(app, 'main').then(
      () => 'connected',
      () => 'ended',
    );
    await expect.poll(() => accounts.opened).toHaveLength(1);
    const url = accounts.opened[0]?.href ?? '';
    return { accounts, connected, url, polls: () => polls, token: () => accounts.token(app, 'main', USE) };
  }
  const setBait = (html: string) => {
    bait = html;
  };
  return { page, client, setBait };
}

describe('a sign-in', NEEDS_BROWSER, () => {
  it('that an attacker started elsewhere gives them nothing, without a click and with clicks', async () => {
    const { page, client, setBait } = await world();
    const attacker = await client(ELSEWHERE);
    setBait(`<script>location = ${JSON.stringify(attacker.url)}</script>`);
    await page.goto('http://evil.example/');
    await page.getByRole('heading', { name: 'Confirm this sign-in' }).waitFor();
    expect(await page.content()).toContain(ELSEWHERE);
    const seen = attacker.polls();
    await expect.poll(attacker.polls).toBeGreaterThan(seen + 3);
    expect(await attacker.token()).toBeNull();
    // The attacker knows the digits. Their site cannot make the browser send them.
    const digits = attacker.accounts.digits('com.example.notes', 'main') ?? '';
    expect(digits).toMatch(/^\d{3}$/);
    setBait(`<form method="post" action="${STORE}/apps/oauth/digits"><input name="digits" value="${digits}">
      <input name="ticket" value="x"><input name="csrf" value="x"></form><script>document.forms[0].submit()</script>`);
    await page.goto('http://evil.example/');
    await page.getByText('did not come from a page of the store').waitFor();
    const before = attacker.polls();
    await expect.poll(attacker.polls).toBeGreaterThan(before);
    expect(await attacker.token()).toBeNull();
    attacker.accounts.cancel('com.example.notes', 'main');
    expect(await attacker.connected).toBe('ended');
  });

  it('on one machine needs nothing typed', async () => {
    const { page, client } = await world();
    const own = await client('127.0.0.1');
    await page.goto(own.url);
    await page.getByRole('heading', { name: 'You can close this tab' }).waitFor();
    expect(await own.connected).toBe('connected');
    expect(await own.token()).toBe('token-of-the-victim');
  });

  it('from a phone needs the three digits that the client shows', async () => {
    const { page, client } = await world();
    const own = await client(ELSEWHERE);
    await page.goto(own.url);
    await page.getByRole('heading', { name: 'Confirm this sign-in' }).waitFor();
    await expect.poll(() => own.accounts.digits('com.example.notes', 'main')).not.toBeNull();
    const digits = own.accounts.digits('com.example.notes', 'main') ?? '';
    expect(own.accounts.told).toContainEqual(expect.objectContaining({ type: 'sign-in-digits', digits }));
    const wrong = String((Number(digits) + 1) % 1000).padStart(3, '0');
    await page.getByLabel('Digits').fill(wrong);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('These are not the digits').waitFor();
    await page.getByLabel('Digits').fill(digits);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Confirmed' }).waitFor();
    expect(await own.connected).toBe('connected');
    expect(await own.token()).toBe('token-of-the-victim');
  });
});
