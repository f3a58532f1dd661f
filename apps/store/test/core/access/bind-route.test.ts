import { READERS, ROUTES, type Route, type RouteName } from '@svc/contracts';
import { sampleBundle } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { has, needsExtension, ROUTES_OF_STORE } from '../../support/extensions.ts';
import { bodyOf, jsonOf, openTestStore, type TestStore } from '../../support/test-store.ts';

const addressOf = (path: string): string =>
  path
    .replace(':path{.+}', 'assets/icon.png')
    .replace(':place{.+}', 'tokens')
    .replace(':appId', 'com.example.notes')
    .replace(':version', '1.0.0')
    .replace(':slug', 'example')
    .replace(':personId', 'anna')
    .replace(':provider', 'nobody')
    .replace(':id', 'some-id')
    .replace(':link', 'some-id.some-seal');

const bodyFor = ({ method }: Route) => (method === 'get' ? {} : { json: {} });

const routes = Object.entries<Route>(ROUTES).filter(([name]) => ROUTES_OF_STORE.has(name as RouteName));

/** Whether pages of other origins may call a route: not the store's own pages, and not routes for one client only. */
const isOpen = ({ auth, page, closed, guarded, form }: Route) =>
  auth === 'none' && !page && !closed && !guarded && !form;

/** Headers that any response can have, or any refusal. */
const ALWAYS_SENT = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Retry-After'];

/** Whether a page of another site can read a header: it is exposed, or Fetch lets every page read it, or it is for caches. */
const isReadable = (name: string, exposed: readonly string[]) =>
  exposed.includes(name) || ['Cache-Control', 'Vary', 'Surrogate-Key', 'Cache-Tag'].includes(name);

type Named = [name: string, route: Route];
type Store = Awaited<ReturnType<typeof openTestStore>>;

/** Calls each route in one store, and compares all results at once, so that a failure shows every difference. */
async function expectOfEach<T>(some: Named[], expected: T, made: (store: Store, route: Route) => Promise<T>) {
  const store = await openTestStore();
  const results: Record<string, T> = {};
  for (const [name, route] of some) results[name] = await made(store, route);
  expect(some).not.toEqual([]);
  expect(results).toEqual(Object.fromEntries(some.map(([name]) => [name, expected])));
}

const ask = (store: Store, route: Route, more: Parameters<Store['call']>[2] = {}) =>
  store.call(route.method.toUpperCase(), addressOf(route.path), { ...bodyFor(route), ...more });

describe('every route', () => {
  it('that requires authentication answers 401 before it validates the request', () =>
    expectOfEach(
      routes.filter(([, { auth, page }]) => auth !== 'none' && !page),
      [401, 'unauthorized'],
      async (store, route) => {
        const { httpStatus, code } = await bodyOf(ask(store, route));
        return [httpStatus, code];
      },
    ));

  it('for moderators and administrators is forbidden for developers', async () => {
    let token: string | undefined;
    await expectOfEach(
      routes.filter(([, { auth }]) => auth === 'admin' || auth === 'moderator'),
      'forbidden',
      async (store, route) => {
        token ??= await store.publisherToken();
        const answer = await ask(store, route, { token });
        // A page is refused with a page.
        if (route.page) return answer.status === 403 ? 'forbidden' : answer.status;
        return (await bodyOf(Promise.resolve(answer))).code;
      },
    );
  });

  it('that is public can be read by pages of any origin', () =>
    expectOfEach(
      routes.filter(([, route]) => isOpen(route)),
      ['*', [], null],
      async (store, route) => {
        const { headers } = await ask(store, route, { headers: { origin: 'https://page.example' } });
        const exposed = headers.get('access-control-expose-headers')?.split(',') ?? [];
        return [
          headers.get('access-control-allow-origin'),
          [...ALWAYS_SENT, ...Object.keys(route.headers ?? {})].filter((name) => !isReadable(name, exposed)),
          headers.get('access-control-allow-credentials'),
        ];
      },
    ));

  it('that is public accepts the preflight of a JSON body from any origin', () =>
    expectOfEach(
      routes.filter(([, route]) => isOpen(route)),
      { origin: '*', takesMethod: true, takesType: true },
      async (store, { method, path }) => {
        const headers = {
          origin: 'https://page.example',
          'access-control-request-method': method.toUpperCase(),
          'access-control-request-headers': 'content-type',
        };
        const answer = await store.call('OPTIONS', addressOf(path), { headers });
        const listed = (name: string) => answer.headers.get(name)?.toLowerCase().split(',') ?? [];
        return {
          origin: answer.headers.get('access-control-allow-origin') ?? '',
          takesMethod: listed('access-control-allow-methods').includes(method),
          takesType: listed('access-control-allow-headers').includes('content-type'),
        };
      },
    ));

  it('that is public includes the device sign-in, and its errors can be read too', async () => {
    const open = routes.filter(([, route]) => isOpen(route)).map(([name]) => name);
    expect(open).toEqual(expect.arrayContaining(['startDevice', 'pollDevice', 'versionStatus', 'catalog']));
    const store = await openTestStore();
    const headers = { origin: 'https://page.example' };
    for (const json of [{}, { deviceCode: 'x'.repeat(43) }]) {
      const answer = await store.call('POST', '/api/developer/device/poll', { json, headers });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    }
  });

  it('that is not public refuses preflights of other origins', () =>
    expectOfEach(
      routes.filter(([, route]) => !isOpen(route)),
      null,
      async (store, { path }) => {
        const headers = { origin: 'https://page.example', 'access-control-request-method': 'POST' };
        const answer = await store.call('OPTIONS', addressOf(path), { headers });
        return answer.headers.get('access-control-allow-origin');
      },
    ));

  it('with a form, or guarded, refuses requests of other origins', () =>
    expectOfEach(
      routes.filter(([, { form, guarded, signed }]) => !signed && (form ?? guarded)),
      { refused: true, cookie: null },
      async (store, { method, path, form }) => {
        const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
        const headers = { 'content-type': type, origin: 'https://page.example' };
        const answer = await store.call(method.toUpperCase(), addressOf(path), { body: '', headers });
        // A caller without a session is redirected to the sign-in, or gets 401, before the form is read.
        return { refused: [401, 403].includes(answer.status), cookie: answer.headers.get('set-cookie') };
      },
    ));
});

it('a message that another server signed needs no page of the store', () =>
  expectOfEach(
    routes.filter(([, { signed }]) => signed),
    true,
    async (store, { method, path }) => {
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        origin: 'https://other.example',
      };
      const sent = { body: 'logout_token=x', headers };
      const answer = await store.call(method.toUpperCase(), addressOf(path), sent);
      // It is read: there is no such provider, and no such key.
      return [400, 404].includes(answer.status);
    },
  ));

describe('a route', () => {
  const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8';
  const [PAGE, JSON_TYPE] = ['text/html; charset=UTF-8', 'application/json'];

  it.each([
    ['/check', 404, PAGE, JSON_TYPE, null],
    [`/api/apps/com.example.none/versions/1.0.0/status`, 404, PAGE, JSON_TYPE, null],
    ['/api/review-clock', 200, PAGE, JSON_TYPE, 'Accept'],
    ['/api/apps/catalog?limit=x', 400, JSON_TYPE, JSON_TYPE, null],
  ])(
    'answers a browser and a program at %s with %i, each in its form',
    async (path, status, page, data, vary) => {
      const store = await openTestStore();
      for (const [accept, type] of [
        [BROWSER, page],
        [JSON_TYPE, data],
      ] as const) {
        const answer = await store.call('GET', path, { headers: { accept } });
        expect([answer.status, answer.headers.get('content-type')]).toEqual([status, type]);
        if (vary) expect(answer.headers.get('vary')?.split(', ')).toContain(vary);
      }
    },
  );

  it(
    'of the registry has the message of a refusal in the field error too, and no other has',
    needsExtension('registry'),
    async () => {
      const store = await openTestStore();
      const refused = await bodyOf(store.call('GET', '/v0.1/servers/com.example%2Fnone/versions'));
      expect(refused).toMatchObject({ httpStatus: 404, error: refused.message });
      expect((await bodyOf(store.call('GET', '/v0.1/servers'))).httpStatus).toBe(200);
      expect(await bodyOf(store.call('GET', `/api/apps/com.example.none`))).not.toHaveProperty('error');
    },
  );
});

describe('a URL', () => {
  it.each(['/nope', '/api', '/api/apps', '/api/apps/a/b/c', '/%', '/api/apps/%2e%2e', '//evil.example/'])(
    'that does not exist answers 404 with the error envelope: %s',
    async (path) => {
      const store = await openTestStore();
      const answer = await bodyOf(store.call('GET', path));
      expect(answer).toEqual({
        httpStatus: 404,
        code: 'not_found',
        message: expect.any(String),
        requestId: expect.any(String),
      });
    },
  );

  it('that does not exist answers browsers with a page with links, and programs with the error envelope', async () => {
    const store = await openTestStore();
    const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const answer = await store.call('GET', '/nope', { headers });
    const page = await answer.text();
    expect([answer.status, answer.headers.get('vary')]).toEqual([404, 'Accept']);
    expect(page).toContain('<h1>Page not found</h1>');
    for (const path of ['/account', '/policy']) expect(page).toContain(`href="${path}"`);
    const wrong = await store.call('GET', '/api/apps/publish', { headers });
    expect([wrong.status, wrong.headers.get('content-type')]).toEqual([405, 'text/html; charset=UTF-8']);
    for (const [path, type] of [
      ['/apps/com.example.none', 'text/html; charset=UTF-8'],
      ['/api/apps/com.example.none/versions/1.0.0/bundle', 'application/json'],
    ] as const)
      expect((await store.call('GET', path, { headers })).headers.get('content-type')).toBe(type);
    for (const accept of ['application/json', 'application/json, text/html;q=0.5', '*/*', '']) {
      const program = await store.call('GET', '/nope', { headers: { accept } });
      expect(program.headers.get('content-type'), accept).toBe('application/json');
    }
  });

  it.each([
    ['DELETE', '/api/apps/catalog', ['GET', 'HEAD']],
    ['GET', '/api/apps/publish', ['POST']],
    ['DELETE', '/api/admin/publishers/acme', ['PATCH', 'PUT']],
    ['POST', '/api/openapi.json', ['GET', 'HEAD']],
    ['POST', '/apps/oauth/callback', ['GET', 'HEAD'], ' An authorization server '],
  ])('without the method %s answers 405: %s', async (method, path, allow, hint = '') => {
    const store = await openTestStore();
    const response = await store.call(method, path);
    expect(response.headers.get('allow')).toBe(allow.join(', '));
    expect(await bodyOf(response)).toMatchObject({
      ...{ httpStatus: 405, code: 'method_not_allowed', allow },
      message: expect.stringContaining(`This path supports ${allow.join(', ')}, not ${method}.${hint}`),
    });
  });

  it('answers HEAD like GET, without a body', async () => {
    const store = await openTestStore();
    const response = await store.call('HEAD', '/api/apps/public-key');
    expect([response.status, await response.text()]).toEqual([200, '']);
  });
});

describe('a JSON body', () => {
  const admin = { authorization: 'Bearer automation-0123456789' };

  it.each([
    ['{"slug":', 'application/json', 400, 'invalid_request'],
    ['', 'application/json', 400, 'invalid_request'],
    ['slug=a', 'application/x-www-form-urlencoded', 415, 'unsupported_media_type'],
    ['{}', 'text/plain', 415, 'unsupported_media_type'],
    ['{"__proto__":{"verified":true},"slug":"a","name":"A"}', 'application/json', 400, 'invalid_request'],
    ['['.repeat(60_000), 'application/json', 400, 'invalid_request'],
    [`"${'x'.repeat(70_000)}"`, 'application/json', 413, 'body_too_large'],
  ])('%.20j as %s is refused', async (body, type, httpStatus, code) => {
    const store = await openTestStore();
    const answer = await bodyOf(
      store.call('POST', '/api/admin/publishers', { body, headers: { ...admin, 'content-type': type } }),
    );
    expect(answer).toMatchObject({ httpStatus, code });
  });
});

const APP = 'com.example.notes';

/** A store with an app that only members may read. */
async function closedStore() {
  const store = await openTestStore({ environment: { SVC_READ: 'members' } });
  const token = await store.publisherToken('example', true);
  await store.publish(token);
  await store.decide('approve', '1.0.0');
  return { store, token };
}

/** Every URL that shows something about an app. */
const ADDRESSES = [
  '/api/apps/catalog',
  '/api/apps/catalog?q=notes',
  `/api/apps/${APP}`,
  `/api/apps/${APP}/versions/1.0.0/bundle`,
  `/api/apps/${APP}/versions/1.0.0/files/assets/icon.png`,
  `/api/apps/${APP}/versions/1.0.0/status`,
  ...(has('ratings') ? [`/api/apps/${APP}/reviews`] : []),
  '/api/apps/revocations',
  ...(has('storefront')
    ? [
        '/',
        `/apps/${APP}`,
        `/apps/${APP}/preview.png`,
        '/preview.png',
        '/categories/productivity',
        '/publishers/example',
        '/publishers/example/preview.png',
      ]
    : []),
];

const readToken = async (store: TestStore, scopes: string[], appId?: string) => {
  const session = await store.signedIn('reader', appId ? { membership: { example: 'member' } } : {});
  const made = await store.call('POST', '/api/people/me/tokens', {
    session,
    json: { name: 'a client', scopes, ...(appId && { appId }) },
  });
  return (await jsonOf<{ token: string }>(made)).token;
};

describe('a store that only members may read', () => {
  it('has a rule for each public route, and for no other', () => {
    const isPublic = Object.entries(ROUTES).flatMap(([name, { auth }]) => (auth === 'none' ? [name] : []));
    expect(Object.keys(READERS).sort()).toEqual(isPublic.sort());
  });

  it.each(['GET', 'HEAD'])('refuses %s without a session or token, or with invalid ones', async (method) => {
    const { store } = await closedStore();
    for (const path of ADDRESSES) {
      const answer = await store.call(method, path);
      const isPage = !path.startsWith('/api/') && !path.endsWith('.png');
      expect([path, answer.status]).toEqual([path, isPage && method === 'GET' ? 303 : 401]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(await answer.text()).not.toContain('Notes');
      const forged = { authorization: 'Bearer svcp_00000000000000000000000000000000000' };
      expect((await store.call(method, path, { headers: forged })).status).not.toBe(200);
      const cookie = { cookie: '__Host-svc-session=none' };
      expect((await store.call(method, path, { headers: cookie })).status).not.toBe(200);
    }
  });

  it('serves a session and a read token, without shared caching', async () => {
    const { store } = await closedStore();
    const session = await store.signedIn('anna');
    const token = await readToken(store, ['read']);
    for (const path of ADDRESSES) {
      for (const caller of [{ session }, { token }]) {
        const answer = await store.call('GET', path, caller);
        expect([path, answer.status]).toEqual([path, 200]);
        expect(answer.headers.get('cache-control')).toMatch(/^(?:private|no-store|no-cache)\b/);
        expect(answer.headers.get('vary')).toContain('Authorization');
        await answer.arrayBuffer();
      }
    }
    const listed = await store.call('GET', '/api/apps/catalog', { session });
    expect(listed.headers.get('vary')).toBe('Accept-Encoding, Authorization, Cookie');
    expect(JSON.parse(store.lines.at(-1) ?? '')).toMatchObject({ actor: 'person:anna' });
  });

  it('refuses a token without the scope read, except for the status of its versions', async () => {
    const { store } = await closedStore();
    const token = await readToken(store, ['status']);
    expect((await store.call('GET', '/api/apps/catalog', { token })).status).toBe(403);
    expect((await store.call('GET', `/api/apps/${APP}/versions/1.0.0/bundle`, { token })).status).toBe(403);
    expect((await store.call('GET', `/api/apps/${APP}/versions/1.0.0/status`, { token })).status).toBe(200);
  });

  it('tells the owner of a token without the scope read to sign in again', async () => {
    const { store } = await closedStore();
    const token = await readToken(store, ['publish:new', 'publish:update', 'yank', 'status']);
    const answer = await store.call('GET', '/api/apps/catalog', { token });
    expect([answer.status, await answer.json()]).toMatchObject([
      403,
      {
        code: 'forbidden',
        message: expect.stringMatching(/lacks the scope read: sign in again with svc login/),
      },
    ]);
  });

  it('shows a token that is bound to an app only this app', async () => {
    const { store, token } = await closedStore();
    const other = 'com.example.other';
    await store.publish(token, { id: other, name: 'Another app' });
    await store.decide('approve', '1.0.0', {}, other);
    const bound = await readToken(store, ['read', 'status'], other);
    const about = (appId: string) =>
      ADDRESSES.filter((path) => path.includes(APP)).map((path) => path.replace(APP, appId));
    for (const path of about(other)) {
      const answer = await store.call('GET', path, { token: bound });
      expect([path, answer.status]).toEqual([path, 200]);
      await answer.arrayBuffer();
    }
    for (const path of [
      ...about(APP),
      '/api/apps/catalog',
      '/api/apps/catalog?q=notes',
      ...(has('storefront') ? ['/'] : []),
    ]) {
      const answer = await store.call('GET', path, { token: bound });
      expect([path, answer.status]).toEqual([path, 403]);
      expect(await answer.text()).not.toContain('Notes');
    }
    expect((await store.call('GET', '/api/apps/revocations', { token: bound })).status).toBe(200);
  });

  it('refuses a token at once when its owner is suspended', async () => {
    const { store } = await closedStore();
    const token = await readToken(store, ['read']);
    expect((await store.call('GET', '/api/apps/catalog', { token })).status).toBe(200);
    await store.admin('PATCH', '/api/admin/people/reader', { suspended: true });
    expect((await store.call('GET', '/api/apps/catalog', { token })).status).toBe(401);
  });

  it('serves nothing from memory without a token', async () => {
    const { store, token } = await closedStore();
    expect((await store.call('GET', '/api/apps/catalog', { token })).status).toBe(200);
    const ended: unknown[] = [];
    const response = { writeHead: (...head: unknown[]) => ended.push(head), end: () => ended.push('end') };
    const urls = ['/api/apps/catalog', '/api/apps/com.example.notes/versions/1.0.0/bundle'];
    for (const url of urls) {
      const request = { method: 'GET', url, headers: {} };
      expect(store.answerFromMemory(request as never, response as never, () => {})).toBe(false);
    }
    expect(ended).toEqual([]);
  });

  it('allows sign-in, the policy and health checks without a session', async () => {
    const { store } = await closedStore();
    for (const path of ['/healthz', '/readyz', '/api/store', '/api/apps/public-key', '/sign-in', '/policy'])
      expect([path, (await store.call('GET', path)).status]).toEqual([path, 200]);
    expect(await jsonOf(store.call('GET', '/api/store'))).toMatchObject({ read: 'members' });
  });

  it('accepts uploads', async () => {
    const { store, token } = await closedStore();
    expect((await store.upload(token, sampleBundle({ version: '1.0.1' }))).status).toBe(201);
  });
});
