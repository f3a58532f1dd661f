import { expect, expectTypeOf, it } from 'vitest';
import { type ApiRequest, apiRequest, type Endpoint, type ErrorCodeOf } from '../src/client.ts';
import type { AppDetail, CatalogPage, FreshToken } from '../src/index.ts';
import { ROUTES } from '../src/routes.ts';

it('builds path, query and body of a route', () => {
  expect(apiRequest('GET /api/apps/catalog')).toEqual({ method: 'GET', path: '/api/apps/catalog' });
  expect(apiRequest('GET /api/apps/catalog', { query: { q: 'a & b', limit: 5, cursor: undefined } })).toEqual(
    {
      method: 'GET',
      path: '/api/apps/catalog?q=a+%26+b&limit=5',
    },
  );
  const version = { appId: 'com.example.a/b', version: '1.0.0+a' };
  expect(
    apiRequest('POST /api/apps/:appId/versions/:version/yank', { params: version, json: { reason: 'r' } }),
  ).toEqual({
    method: 'POST',
    path: '/api/apps/com.example.a%2Fb/versions/1.0.0%2Ba/yank',
    json: { reason: 'r' },
  });
});

it('keeps the segments of the rest of a path, and refuses those that lead elsewhere', () => {
  const read = (path: string) =>
    apiRequest('GET /api/moderation/apps/:appId/versions/:version/files/:path{.+}', {
      params: { appId: 'com.example.a', version: '1.0.0', path },
    }).path;
  expect(read('ui/a b.html')).toMatch(/\/files\/ui\/a%20b\.html$/);
  for (const path of ['..', 'ui/../..', 'ui//a', '']) expect(() => read(path)).toThrow(TypeError);
  for (const appId of ['', '.', '..'])
    expect(() => apiRequest('GET /api/apps/:appId', { params: { appId } })).toThrow('cannot be a part');
});

it('builds a request to each route of the table', () => {
  for (const { method, path } of Object.values(ROUTES)) {
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
    const params = Object.fromEntries(names.map((name) => [name, 'x']));
    const endpoint = `${method.toUpperCase()} ${path}` as Endpoint;
    const built = (apiRequest as (name: Endpoint, input: object) => ApiRequest<unknown>)(endpoint, {
      params,
    });
    expect(built).toEqual({
      method: method.toUpperCase(),
      path: path.replace(/:\w+(?:\{\.\+\})?/g, 'x'),
    });
  }
});

it('is typed by the table', () => {
  expectTypeOf(apiRequest('GET /api/apps/catalog')).toEqualTypeOf<ApiRequest<CatalogPage>>();
  expectTypeOf(apiRequest('GET /api/apps/:appId', { params: { appId: 'a' } })).toEqualTypeOf<
    ApiRequest<AppDetail>
  >();
  expectTypeOf<ErrorCodeOf<'POST /api/people/me/tokens'>>().toEqualTypeOf<
    'not_a_member' | 'id_taken' | 'limit_reached'
  >();
  const make = (json: object) => apiRequest('POST /api/people/me/tokens', { json: json as never });
  expectTypeOf(make).returns.toEqualTypeOf<ApiRequest<FreshToken>>();
  // @ts-expect-error: there is no such route
  expect(() => apiRequest('GET /api/apps/katalog')).not.toThrow();
  // @ts-expect-error: the method is another one
  expect(() => apiRequest('POST /api/apps/catalog')).not.toThrow();
  // @ts-expect-error: the parameter is missing
  expect(() => apiRequest('GET /api/apps/:appId')).toThrow();
  // @ts-expect-error: there is no such field in the query
  expect(() => apiRequest('GET /api/apps/catalog', { query: { word: 'a' } })).not.toThrow();
  // @ts-expect-error: there is no such field in the body
  expect(() => apiRequest('PATCH /api/people/me', { json: { nam: 'a' } })).not.toThrow();
  // @ts-expect-error: a request is not written by hand
  const byHand: ApiRequest<unknown> = { method: 'GET', path: '/api/apps' };
  expect(byHand).toBeDefined();
});
