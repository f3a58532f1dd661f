import { describe, expect, it } from 'vitest';
import { ROUTES, type Route } from '../src/index.ts';

const routes = Object.entries<Route>(ROUTES);

describe('route table', () => {
  it('has each method and path once', () => {
    const seen = routes.map(([, { method, path }]) => `${method} ${path}`);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it.each(routes)('describes every parameter in the path of %s', (_name, { path, params }) => {
    const named = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
    expect(Object.keys(params?.shape ?? {}).sort()).toEqual(named.sort());
  });

  it('requires authentication for every change', () => {
    const open = routes.filter(([, { method, auth }]) => method !== 'get' && auth === 'none');
    const unguarded = open.filter(([, { form, guarded }]) => form === undefined && !guarded);
    // A device and a CI job have no credentials yet: they get their codes and tokens from these routes. The link of a mail has its own key,
    // and the provider of SCIM the token that the operator set for it.
    expect(unguarded.map(([name]) => name)).toEqual([
      'exchangeIdToken',
      'startDevice',
      'pollDevice',
      'unsubscribe',
      'scimAdd',
      'scimReplace',
      'scimPatch',
      'scimRemove',
    ]);
  });
});
