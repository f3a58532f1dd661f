import { ROUTES, type Route } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { bodyOf, openTestStore } from '../support/test-store.ts';

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

const routes = Object.entries<Route>(ROUTES);

/** Whether pages of other origins may call a route: not the store's own pages, and not routes for one client only. */
const isOpen = ({ auth, page, closed, guarded, form }: Route) =>
  auth === 'none' && !page && !closed && !guarded && !form;

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
      ['*', true, null],
      async (store, route) => {
        const { headers } = await ask(store, route, { headers: { origin: 'https://page.example' } });
        return [
          headers.get('access-control-allow-origin'),
          headers.get('access-control-expose-headers')?.includes('X-Svc-Signature'),
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
    expect(open).toEqual(expect.arrayContaining(['startDevice', 'pollDevice', 'versionStatus', 'reviews']));
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
      routes.filter(([, { form, guarded }]) => form ?? guarded),
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
    for (const path of ['/', '/docs', '/account']) expect(page).toContain(`href="${path}"`);
    const wrong = await store.call('GET', '/api/apps/publish', { headers });
    expect([wrong.status, wrong.headers.get('content-type')]).toEqual([405, 'text/html; charset=UTF-8']);
    const program = await store.call('GET', '/nope', { headers: { accept: 'application/json' } });
    expect(program.headers.get('content-type')).toBe('application/json');
  });

  it.each([
    ['DELETE', '/api/apps/catalog', ['GET', 'HEAD']],
    ['GET', '/api/apps/publish', ['POST']],
    ['PUT', '/api/admin/publishers/acme', ['PATCH']],
    ['POST', '/api/openapi.json', ['GET', 'HEAD']],
  ])('without the method %s answers 405: %s', async (method, path, allow) => {
    const store = await openTestStore();
    const response = await store.call(method, path);
    expect(response.headers.get('allow')).toBe(allow.join(', '));
    expect(await bodyOf(response)).toMatchObject({ httpStatus: 405, code: 'method_not_allowed', allow });
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
