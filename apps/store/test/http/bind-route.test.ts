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

/** What a page of another site may read. The store's own pages, and what is for one client alone, it may not. */
const isOpen = ({ auth, method, page, closed }: Route) =>
  auth === 'none' && method === 'get' && !page && !closed;

describe('every route', () => {
  it.each(routes.filter(([, { auth, page }]) => auth !== 'none' && !page))(
    '%s asks who is calling before it looks at anything',
    async (_name, route) => {
      const store = await openTestStore();
      const answer = await bodyOf(
        store.call(route.method.toUpperCase(), addressOf(route.path), bodyFor(route)),
      );
      expect(answer).toMatchObject({ httpStatus: 401, code: 'unauthorized' });
    },
  );

  it.each(routes.filter(([, { auth }]) => auth === 'admin' || auth === 'moderator'))(
    '%s is not for developers',
    async (_name, route) => {
      const store = await openTestStore();
      const token = await store.publisherToken();
      const asked = { token, ...bodyFor(route) };
      const answer = await store.call(route.method.toUpperCase(), addressOf(route.path), asked);
      expect(answer.status).toBe(403);
      // A page says so with a page.
      if (!route.page) expect(await answer.json()).toMatchObject({ code: 'forbidden' });
    },
  );

  it.each(routes.filter(([, route]) => isOpen(route)))('%s may be read by any page', async (_name, route) => {
    const store = await openTestStore();
    const { headers } = await store.call('GET', addressOf(route.path), {
      headers: { origin: 'https://page.example' },
    });
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-expose-headers')).toContain('X-Svc-Signature');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });

  it.each(routes.filter(([, route]) => !isOpen(route)))('%s may not', async (_name, route) => {
    const store = await openTestStore();
    const origin = { origin: 'https://page.example', 'access-control-request-method': 'POST' };
    const { headers } = await store.call('OPTIONS', addressOf(route.path), { headers: origin });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('a route with a form, or guarded', () => {
  it.each(routes.filter(([, { form, guarded }]) => form ?? guarded))(
    '%s refuses what does not come from a page of the store',
    async (_name, { method, path, form }) => {
      const store = await openTestStore();
      const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
      const headers = { 'content-type': type, origin: 'https://page.example' };
      const answer = await store.call(method.toUpperCase(), addressOf(path), { body: '', headers });
      // Who is not signed in is led to where one signs in, or told so, before a form is looked at.
      expect([401, 403]).toContain(answer.status);
      expect(answer.headers.get('set-cookie')).toBeNull();
    },
  );
});

describe('an address', () => {
  it.each(['/nope', '/api', '/api/apps', '/api/apps/a/b/c', '/%', '/api/apps/%2e%2e', '//evil.example/'])(
    'that has nothing answers 404 in the envelope: %s',
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

  it.each([
    ['DELETE', '/api/apps/catalog', ['GET', 'HEAD']],
    ['GET', '/api/apps/publish', ['POST']],
    ['PUT', '/api/admin/publishers/acme', ['PATCH']],
    ['POST', '/api/openapi.json', ['GET', 'HEAD']],
  ])('that has no %s answers 405: %s', async (method, path, allow) => {
    const store = await openTestStore();
    const response = await store.call(method, path);
    expect(response.headers.get('allow')).toBe(allow.join(', '));
    expect(await bodyOf(response)).toMatchObject({ httpStatus: 405, code: 'method_not_allowed', allow });
  });

  it('answers HEAD as GET, without a body', async () => {
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
    [`"${'x'.repeat(70_000)}"`, 'application/json', 400, 'invalid_request'],
  ])('%.20j as %s is refused', async (body, type, httpStatus, code) => {
    const store = await openTestStore();
    const answer = await bodyOf(
      store.call('POST', '/api/admin/publishers', { body, headers: { ...admin, 'content-type': type } }),
    );
    expect(answer).toMatchObject({ httpStatus, code });
  });
});
