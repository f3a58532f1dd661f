import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MAX_INTEGER, ROUTES, type Route } from '../src/index.ts';
import { route } from '../src/routes/route.ts';

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

  it.each(routes)(
    'takes no integer that PostgreSQL does not have in the URL of %s',
    (_name, { params, query }) => {
      for (const part of [params, query]) {
        const { properties = {} } = z.toJSONSchema(part ?? z.object({}), { unrepresentable: 'any' });
        for (const [name, field] of Object.entries(properties))
          if (typeof field === 'object' && field.type === 'integer')
            expect(field.maximum, name).toBeLessThanOrEqual(MAX_INTEGER);
      }
    },
  );

  it('compiles no change of a signed-in user without its effects', () => {
    // @ts-expect-error Without them it is not decided whether it needs a fresh proof of identity.
    route.administration('admin POST /api/admin/doors', { summary: 'Open a door.' });
    // @ts-expect-error None is no effect.
    route.publishers('person DELETE /api/doors', { summary: 'Close a door.', effects: [] });
    expect(routes.filter(([, one]) => one.method !== 'get' && one.auth !== 'none' && !one.effects)).toEqual(
      [],
    );
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
