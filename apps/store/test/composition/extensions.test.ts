import { EXTENSION_NAMES, type ExtensionName, openApiDocument, ROUTES, routeNames } from '@svc/contracts';
import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { EXTENSIONS, extensionsOn } from '../../src/composition/extensions.ts';
import { BASE_URL, bodyOf, openTestStore } from '../support/test-store.ts';

const LISTED = EXTENSIONS.map(({ name }) => name);

/** The routes that a store has without some extensions. */
const routesWithout = (without: readonly ExtensionName[]) => routeNames(extensionsOn(without));

/** A path of a route, with something in place of each parameter. */
const pathOf = (path: string): string => path.replace(/:(\w+)(?:\{[^}]*\})?/g, 'x');

describe('the list of extensions', () => {
  it('has each once, and none that the contract does not know', () => {
    expect(new Set(LISTED).size).toBe(LISTED.length);
    expect(LISTED.filter((name) => !EXTENSION_NAMES.includes(name))).toEqual([]);
  });
});

describe.each([
  ...LISTED.map((name) => [name, [name], {}] as const),
  ['any extension', LISTED, BOTH_DATABASES] as const,
])('a store without %s', (_, without, options) => {
  it('starts, and publishes, lists and yanks apps', options, async () => {
    const store = await openTestStore({ environment: { SVC_WITHOUT: without.join(',') } });
    const token = await store.publisherToken('example', true);
    expect((await store.publish(token)).status).toBe(201);
    await store.decide('approve', '1.0.0');
    expect(await bodyOf(store.call('GET', '/api/apps/catalog'))).toMatchObject({
      apps: [{ appId: 'com.example.notes', version: '1.0.0' }],
    });
    const hasPages = routesWithout(without).has('appPage');
    for (const path of ['/', '/apps/com.example.notes'])
      expect((await store.app.request(BASE_URL + path)).status).toBe(hasPages ? 200 : 404);
    const yank = '/api/apps/com.example.notes/versions/1.0.0/yank';
    expect((await store.admin('POST', yank, { reason: 'Why.' })).status).toBe(200);
    expect(await bodyOf(store.call('GET', '/api/apps/catalog'))).toMatchObject({ apps: [] });
  });

  it('answers 404 at its routes, and has all others', async () => {
    const store = await openTestStore({ environment: { SVC_WITHOUT: without.join(',') } });
    const names = routesWithout(without);
    const document = await bodyOf(store.call('GET', '/api/openapi.json'));
    expect(document.paths).toEqual(JSON.parse(JSON.stringify(openApiDocument(BASE_URL, names).paths)));
    const kept = new Set([...names].map((name) => ROUTES[name].path as string));
    for (const [name, route] of Object.entries(ROUTES)) {
      if (kept.has(route.path)) continue;
      const answer = await store.app.request(BASE_URL + pathOf(route.path), {
        method: route.method.toUpperCase(),
      });
      expect([name, answer.status]).toEqual([name, 404]);
    }
  });
});

/** The pages of each extension, by the start of their addresses. */
const PAGES_OF = {
  docs: /^\/(?:docs|api\/docs)\b/,
  cli: /^\/cli\b/,
  storefront: /^\/(?:$|(?:apps|publishers|categories)\/)/,
} satisfies Partial<Record<ExtensionName, RegExp>>;

/** Pages of a store and files for programs, with links of all kinds. */
const LINKING = [
  '/',
  '/apps/com.example.notes',
  '/policy',
  '/docs',
  '/docs/codes',
  '/api/docs',
  '/cli',
  '/sign-in',
  '/nowhere',
  '/llms.txt',
  '/feeds/new.atom',
  '/feeds/publishers/example.json',
  '/v0.1/servers',
  '/api/review-clock',
  '/api/apps/com.example.notes/versions/1.0.0/status',
];

it.each(Object.entries(PAGES_OF) as [ExtensionName, RegExp][])(
  'no page and no finding of a store without %s links to its pages',
  async (name, its) => {
    const store = await openTestStore({ environment: { SVC_WITHOUT: name } });
    const token = await store.publisherToken('example', true);
    const { issues } = await bodyOf(store.publish(token, { categories: [] }));
    await store.decide('approve', '1.0.0', {});
    expect(issues.length).toBeGreaterThan(0);
    const linked = issues.flatMap(({ docs }: { docs?: string }) => docs ?? []);
    for (const path of LINKING) {
      const text = await (
        await store.app.request(BASE_URL + path, { headers: { accept: 'text/html' } })
      ).text();
      for (const [, one, other] of text.matchAll(
        /(?:href|action)="([^"#?]*)|https:\/\/store\.test([\w/.-]*)/g,
      ))
        linked.push(one ?? other);
    }
    expect(linked.length).toBeGreaterThan(50);
    expect(
      linked.map((url: string) => url.replace(BASE_URL, '')).filter((path: string) => its.test(path)),
    ).toEqual([]);
  },
);

it('a misspelt extension is refused, with the names of all', async () => {
  const opening = openTestStore({ environment: { SVC_WITHOUT: 'rating' } });
  await expect(opening).rejects.toThrow('SVC_WITHOUT must be names of extensions');
});
