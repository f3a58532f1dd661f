import type { Manifest } from '@svc/contracts';
import { sampleManifest } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { has } from '../../support/extensions.ts';
import { listed, textOf } from '../../support/published-store.ts';
import { bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';

/** The command of the client that the store serves. */
const INSTALL =
  '<code>npx https://store.test/cli.tgz install com.example.notes --store https://store.test</code>';

describe('the page of an app', () => {
  it('shows permissions, domains, accounts, requirements, hash and signature', async () => {
    const store = await listed({
      accounts: [
        {
          id: 'main',
          label: 'Notes account',
          authorizeUrl: 'https://auth.example.com/a',
          tokenUrl: 'https://auth.example.com/t',
          clientId: 'c',
          scopes: ['notes:read'],
        },
      ],
      requires: { apps: [{ id: 'media', reason: 'Plays what you recorded.' }] },
      platforms: ['linux', 'darwin'],
      homepage: 'https://notes.example.com/about',
      support: 'mailto:help@example.com',
    });
    const text = await textOf(store, '/apps/com.example.notes');
    const detail = await bodyOf(store.call('GET', '/api/apps/com.example.notes'));
    const { sha256, signature, keyId } = detail.versions[0];
    for (const said of [
      '<title>Notes · svc app store</title>',
      '<meta property="og:title" content="Notes · svc app store">',
      'href="svc://install/com.example.notes?store=https%3A%2F%2Fstore.test"',
      '<code>svc install com.example.notes --store https://store.test</code>',
      ...(has('cli') ? [INSTALL] : []),
      ...(has('ratings') ? ['href="svc://rate/com.example.notes?store=https%3A%2F%2Fstore.test"'] : []),
      'Reads the files you hand to it.',
      '<code>api.example.com</code>',
      '<code>mcp.example.com</code>',
      '<strong>Notes account</strong> <code>notes:read</code>',
      '<strong>Clear</strong> <span class="badge">asks you first</span>',
      '<strong>Add a note</strong> <span class="badge">uses files</span>',
      'Plays what you recorded.',
      'Linux, macOS',
      '<a href="https://notes.example.com/about" rel="nofollow noopener ugc">notes.example.com</a>',
      'help@example.com',
      sha256,
      signature,
      keyId,
      has('cli')
        ? 'npx https://store.test/cli.tgz verify com.example.notes@1.0.0'
        : 'svc verify com.example.notes@1.0.0 --store https://store.test',
    ]) {
      expect(text).toContain(said);
    }
  });

  it('names four hosts at a glance, and all of them in the technical details', async () => {
    const domains = Array.from({ length: 9 }, (_, n) => `h${n}.example.com`);
    const store = await listed({ remote: { mcpUrl: 'https://mcp.example.com/mcp', domains } });
    const text = (await textOf(store, '/apps/com.example.notes')).replaceAll('<wbr>', '');
    expect(text).toContain('<p>h0.example.com, h1.example.com, h2.example.com, h3.example.com and 6 more');
    for (const host of domains) expect(text).toContain(`<code>${host}</code>`);
  });

  it('is a 404 page if the app is unknown, and a 410 page if it is suspended', async () => {
    const store = await listed();
    expect((await store.call('GET', '/apps/com.example.none')).status).toBe(404);
    await store.admin('PATCH', '/api/admin/apps/com.example.notes', { suspended: true });
    store.advance(31_000);
    const gone = await store.call('GET', '/apps/com.example.notes');
    expect([gone.status, gone.headers.get('content-type')]).toEqual([410, 'text/html; charset=UTF-8']);
  });

  it('shows the newest version as soon as it is published', async () => {
    const store = await listed();
    expect(await textOf(store, '/apps/com.example.notes')).toContain('<strong>1.0.0</strong>');
    await store.publish(await store.publisherToken(), { version: '1.1.0' });
    await store.decide('approve', '1.1.0');
    const text = await textOf(store, '/apps/com.example.notes');
    expect(text.indexOf('<strong>1.1.0</strong>')).toBeLessThan(text.indexOf('<strong>1.0.0</strong>'));
    expect(text).toContain('<strong>1.1.0</strong>');
  });

  it('has ten versions per page, while the API returns all of them', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken('example', true);
    const minors = Array.from({ length: 12 }, (_, minor) => minor);
    for (const minor of minors) {
      const domains = [`api${minor}.example.com`];
      const { remote } = sampleManifest();
      await store.publish(token, { version: `1.${minor}.0`, remote: { ...remote, domains } });
      await store.decide('approve', `1.${minor}.0`);
      store.advance(31 * 60_000);
    }
    const shownAt = async (query: string) => {
      const text = await textOf(store, `/apps/com.example.notes${query}`);
      const versions = Array.from(text.matchAll(/<summary><strong>([^<]+)</g), ([, version]) => version);
      return { versions, links: Array.from(text.matchAll(/\?versions=\d+/g), ([link]) => link) };
    };
    const newest = minors.map((minor) => `1.${minor}.0`).reverse();
    expect(await shownAt('')).toEqual({ versions: newest.slice(0, 10), links: ['?versions=2'] });
    expect(await shownAt('?versions=2')).toEqual({ versions: newest.slice(10), links: ['?versions=1'] });
    expect(await shownAt('?versions=9')).toEqual({ versions: [], links: ['?versions=8'] });
    expect((await store.call('GET', '/apps/com.example.notes?versions=0')).status).toBe(400);

    const { versions } = await bodyOf(store.call('GET', '/api/apps/com.example.notes'));
    const reached = versions.map(({ version, domains }: { version: string; domains: string[] }) => [
      version,
      domains[0],
    ]);
    expect(reached).toEqual(
      [...minors].reverse().map((minor) => [`1.${minor}.0`, `api${minor}.example.com`]),
    );
  });
});

describe('other apps on the page of an app', () => {
  const CATEGORY = { categories: ['media', 'design'] } as Partial<Manifest>;

  /** An app, some other apps of its category, and one app of another category. */
  const withOthers = async (howMany: number): Promise<TestStore> => {
    const store = await listed(CATEGORY);
    const token = await store.publisherToken('example', true);
    const others = Array.from({ length: howMany }, (_, n) => ({ ...CATEGORY, id: `com.example.app${n}` }));
    for (const changes of [...others, { id: 'com.example.far', categories: ['games'] as const }]) {
      await store.publish(token, { ...changes, categories: [...(changes.categories ?? [])] });
      await store.decide('approve', '1.0.0', {}, changes.id);
      store.advance(31 * 60_000);
    }
    return store;
  };
  const namedAt = async (store: TestStore): Promise<string[]> =>
    Array.from(
      (await textOf(store, '/apps/com.example.notes')).matchAll(/<h3><a href="\/apps\/([^"]+)">/g),
      ([, id = '']) => id,
    ).sort();

  it('are at most three of its first category, and never the app itself', async () => {
    const store = await withOthers(6);
    const ids = await namedAt(store);
    expect(ids).toHaveLength(3);
    expect(ids.every((id) => /^com\.example\.app\d$/.test(id))).toBe(true);
    expect(await textOf(store, '/apps/com.example.notes')).toContain('<h2 id="similar">More in Media</h2>');
  });

  it('disappear immediately when they are suspended, and the section with the last one', async () => {
    const store = await withOthers(1);
    expect(await namedAt(store)).toEqual(['com.example.app0']);
    await store.admin('PATCH', '/api/admin/apps/com.example.app0', { suspended: true });
    expect(await namedAt(store)).toEqual([]);
    expect(await textOf(store, '/apps/com.example.notes')).not.toContain('class="similar"');
  });
});
