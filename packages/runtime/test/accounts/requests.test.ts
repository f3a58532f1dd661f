import { describe, expect, it, vi } from 'vitest';
import { addressOf, objectIn, requestsOf } from '../../src/accounts/requests.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';
import { type Answer, fakeWeb, json } from '../support/fake-web.ts';
import { realSystem } from '../support/real-system.ts';

const AS = 'https://as.example.com';

describe('the address of an authorization server', () => {
  it.each([`${AS}/token?tenant=1`, 'https://as.example.com:8443/', 'https://xn--bcher-kva.example/'])(
    'may be %s',
    (address) => {
      expect(addressOf(address, false).href).toBe(address);
    },
  );

  it.each([
    ['', 'is no address'],
    ['as.example.com', 'is no address'],
    ['https://user@as.example.com/', 'is no address'],
    ['https://:secret@as.example.com/', 'is no address'],
    ['http://as.example.com/', 'is not https: as.example.com'],
    ['ftp://as.example.com/', 'is not https'],
    ['https://10.0.0.1/', 'is not public'],
    ['https://93.184.215.14/', 'is not public'],
    ['https://[2606:4700::1111]/', 'is not public'],
    ['https://intranet/', 'is not public'],
    ['https://localhost/', 'is not public'],
    ['https://app.localhost/', 'is not public'],
    ['https://nas.local/', 'is not public'],
    ['https://nas.local./', 'is not public'],
    ['https://router.internal/', 'is not public'],
    ['https://printer.home.arpa/', 'is not public'],
  ])('may not be %j, which %s', (address, why) => {
    expect(() => addressOf(address, false)).toThrow(why);
  });

  it('is of this machine only where the app may reach it', () => {
    const here = 'http://localhost:9000/token';
    expect(addressOf(here, true).href).toBe(here);
    expect(addressOf(here, ['http://localhost:9000']).href).toBe(here);
    for (const allowed of [false, [], ['http://localhost:9001']])
      expect(() => addressOf(here, allowed)).toThrow('is not https');
    expect(() => addressOf('http://user@localhost:9000/', true)).toThrow('is no address');
    expect(() => addressOf('http://as.example.com/', true)).toThrow('is not https');
  });
});

const requestsAt = (pages: Record<string, Answer>, signal?: AbortSignal) => {
  const { guard, ...web } = fakeWeb(pages);
  return { ...web, requests: requestsOf({ guard, system: realSystem }, false, signal) };
};

const movedTo = (location: string, status: number) => new Response('', { status, headers: { location } });

/** Pages that redirect to the next one, and end after so many redirects. */
const chain = (redirects: number, status: number): Record<string, Answer> =>
  Object.fromEntries([
    ...Array.from({ length: redirects }, (_, at) => [`${AS}/${at}`, () => movedTo(`/${at + 1}`, status)]),
    [`${AS}/${redirects}`, () => json({ at: 'the end' })],
  ]);

describe('a redirect', () => {
  const KINDS = ['fetch', 'read'] as const;

  it.each([
    [301, ['read']],
    [302, ['read']],
    [303, ['read']],
    [307, ['read']],
    [308, ['read']],
    [300, []],
  ])('with status %i to the same origin is followed only by %j', async (status, expected) => {
    const { requests, urls } = requestsAt(chain(1, status));
    for (const kind of KINDS) {
      const response = await requests[kind](`${AS}/0`).catch((error: unknown) => error);
      const followed = response instanceof Response && response.status === 200;
      expect([kind, followed]).toEqual([kind, expected.includes(kind)]);
      if (kind !== 'fetch' && !followed) expect(response).toMatchObject({ status });
      else if (!followed)
        expect(response).toMatchObject({ message: 'as.example.com responds with a redirect.' });
    }
    expect(urls().filter((url) => url === `${AS}/1`)).toHaveLength(expected.length);
  });

  it('to the same host with http is followed over https', async () => {
    const pages = {
      [`${AS}/0`]: () => movedTo('http://as.example.com/1?a', 307),
      [`${AS}/1`]: () => json({}),
    };
    const { requests, urls } = requestsAt(pages);
    expect(await requests.read(`${AS}/0`)).toMatchObject({ status: 200 });
    expect(urls()).toEqual([`${AS}/0`, `${AS}/1?a`]);
  });

  it.each([
    'https://evil.example.com/',
    'http://evil.example.com/1',
    'http://as.example.com:8080/1',
    'https://as.example.com:8443/1',
    'no:url',
  ])('to %s is followed by none', async (location) => {
    const { requests, urls } = requestsAt({ [`${AS}/0`]: () => movedTo(location, 307) });
    const error = { name: 'OAuthError', message: 'as.example.com responds with a redirect.' };
    await expect(requests.fetch(`${AS}/0`)).rejects.toMatchObject(error);
    // What the answer to a request without a secret is besides does not matter.
    expect(await requests.read(`${AS}/0`)).toMatchObject({ status: 307, body: null });
    expect(urls()).toEqual([`${AS}/0`, `${AS}/0`]);
  });

  it.each([
    [302, 302],
    [307, 200],
    [308, 200],
  ])(
    'with status %i of a POST without a secret is followed only with its method',
    async (status, expected) => {
      const { requests, asked } = requestsAt(chain(1, status));
      const response = await requests.read(`${AS}/0`, { method: 'POST', body: 'a' });
      expect(response.status).toBe(expected);
      expect(asked.every(({ method }) => method === 'POST')).toBe(true);
    },
  );

  it('is followed three times', async () => {
    const { requests } = requestsAt({ ...chain(3, 302), [`${AS}/more`]: () => movedTo('/0', 302) });
    expect(await (await requests.read(`${AS}/0`)).json()).toEqual({ at: 'the end' });
    await expect(requests.read(`${AS}/more`)).rejects.toMatchObject({ name: 'OAuthError' });
  });

  it.each([{ redirected: true }, { type: 'opaqueredirect' }])(
    'that is hidden by a fetch is none that was followed: %j',
    async (hidden) => {
      const { requests } = requestsAt({
        [`${AS}/token`]: () => Object.defineProperties(json({}), Object.getOwnPropertyDescriptors(hidden)),
      });
      await expect(requests.fetch(`${AS}/token`)).rejects.toMatchObject({ message: /redirect/ });
    },
  );
});

describe('a response', () => {
  const MEGABYTE = 1024 * 1024;

  it.each([204, 205])('of status %i has no body', async (status) => {
    const { requests } = requestsAt({ [`${AS}/revoke`]: () => new Response(null, { status }) });
    expect(await requests.fetch(`${AS}/revoke`)).toMatchObject({ status, body: null });
  });

  it('has at most a megabyte', async () => {
    const { requests } = requestsAt({
      [`${AS}/most`]: () => new Response(new Uint8Array(MEGABYTE)),
      [`${AS}/more`]: () => new Response(new Uint8Array(MEGABYTE + 1)),
    });
    const most = await requests.fetch(`${AS}/most`);
    expect((await most.arrayBuffer()).byteLength).toBe(MEGABYTE);
    await expect(requests.fetch(`${AS}/more`)).rejects.toMatchObject({
      name: 'OAuthError',
      message: 'as.example.com sends more than a megabyte.',
    });
  });

  it('whose body is not needed is not read, and its connection is free', async () => {
    const cancel = vi.fn();
    const endless = () => new Response(new ReadableStream({ cancel }), { status: 302 });
    const { requests } = requestsAt({ [`${AS}/mcp`]: endless });
    await requests.fetch(`${AS}/mcp`).catch(() => undefined);
    expect(cancel).toHaveBeenCalledOnce();
  });

  it.each([
    [new TypeError('fetch failed: code=secret'), ' cannot be reached, or does not respond in time.'],
    [new RuntimeError('address-refused', 'It is private.'), ': It is private.'],
  ])('that does not arrive is named without what was sent: %s', async (fault, message) => {
    const { requests } = requestsAt({ [`${AS}/token`]: () => Promise.reject(fault) });
    const error = await requests.fetch(`${AS}/token?code=secret`).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      name: 'OAuthError',
      reason: 'unreachable',
      message: `as.example.com${message}`,
    });
    expect(error).not.toHaveProperty('cause');
  });

  it('that a caller no longer waits for ends with the reason of the caller', async () => {
    const caller = new AbortController();
    const { requests, urls } = requestsAt({ [`${AS}/slow`]: () => null }, caller.signal);
    const waiting = requests.fetch(`${AS}/slow`);
    waiting.catch(() => undefined);
    await expect.poll(urls).toHaveLength(1);
    caller.abort('enough');
    await expect(waiting).rejects.toBe('enough');
  });
});

it.each([
  ['{"a":1}', { a: 1 }],
  ['[]', null],
  ['null', null],
  ['"text"', null],
  ['<h1>Sign in</h1>', null],
  ['', null],
])('the object in %j is %j', async (text, expected) => {
  expect(await objectIn(new Response(text))).toEqual(expected);
});
