import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { listed, textOf } from '../../support/published-store.ts';
import { openTestStore, type TestStore } from '../../support/test-store.ts';

const EVIL = `"><script>alert(1)</script><img src=x onerror=alert(2)>`;

describe('the page of the catalogue', () => {
  it('lists the apps, with a search form that works without scripts', async () => {
    const store = await listed();
    const text = await textOf(store, '/');
    expect(text).toContain('<a href="/apps/com.example.notes">Notes</a>');
    expect(text).toContain('1 app');
    expect(text).toContain('<form class="search buttons" id="search" role="search" action="/" method="get">');
  });

  it('keeps search, category and sort order in its links', async () => {
    const store = await listed();
    const text = await textOf(store, '/?q=no%22tes&sort=name&category=productivity');
    expect(text).toContain('value="no&quot;tes"');
    expect(text).toContain('<option value="name" selected>');
    expect(text).toContain('href="/?q=no%22tes&amp;category=media&amp;sort=name"');
    expect(text).toContain('<title>no&quot;tes · svc app store</title>');
  });

  it('has 24 apps per page, and a link to the next page', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken('example', true);
    for (let n = 0; n < 26; n += 1) {
      const id = `com.example.app${String(n).padStart(2, '0')}`;
      await store.publish(token, { id, name: `App ${n}` });
      await store.decide('approve', '1.0.0', {}, id);
      store.advance(31 * 60_000);
    }
    const first = await textOf(store, '/?sort=name');
    expect(first.match(/<li class="app">/g)).toHaveLength(24);
    const next = /rel="next" href="([^"]+)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const second = await textOf(store, next);
    expect(second.match(/<li class="app">/g)).toHaveLength(2);
    expect(second).not.toContain('rel="next"');
    // A link to a category leads to its first page.
    expect(second.match(/<a href="\/categories\/[a-z]+\?sort=name">/g)).toHaveLength(12);
  });

  it.each([
    ['', 'No apps yet'],
    ['?q=zzzz', 'Nothing for “zzzz”'],
  ])('explains an empty list: %s', async (query, said) => {
    expect(await textOf(await openTestStore(), `/${query}`)).toContain(said);
  });

  it('narrows a category or a search by what the store vouches for, and ignores unknown conditions', async () => {
    const store = await openTestStore();
    const verified = await store.publisherToken('verified', true);
    const other = await store.publisherToken('other');
    await store.publish(verified, { id: 'com.a.one', publisher: 'verified', categories: ['data'] });
    await store.publish(other, { id: 'com.b.two', publisher: 'other', name: 'Two', categories: ['data'] });
    for (const id of ['com.a.one', 'com.b.two']) await store.decide('approve', '1.0.0', {}, id);
    const apps = async (query: string) =>
      (await textOf(store, `/categories/data${query}`)).match(/(?<=<a href="\/apps\/)[^"]+/g) ?? [];
    expect((await apps('')).sort()).toEqual(['com.a.one', 'com.b.two']);
    expect(await apps('?only=verified')).toEqual(['com.a.one']);
    expect(await apps('?only=verified,rated-4')).toEqual([]);
    expect((await apps('?only=x')).sort()).toEqual(['com.a.one', 'com.b.two']);
    const page = await textOf(store, '/categories/data?only=verified');
    expect(page).toContain('1 app of 2');
    // Each condition says how many apps it leaves; one that leaves none is not offered.
    const all = await textOf(store, '/categories/data');
    expect(all).toContain(
      'Verified publisher <span aria-hidden="true">1</span><span class="sr">, 1 app</span>',
    );
    expect(all).toContain('No account needed <span aria-hidden="true">2</span>');
    expect(all).not.toContain('Rated 4 or better');
    expect(page).toContain('No account needed <span aria-hidden="true">1</span>');
    // A condition that holds is taken back by its link.
    expect(page).toContain('href="/categories/data" aria-current="true"');
    const found = await textOf(store, '/?q=notes&only=verified');
    expect(found).toContain('href="/?q=notes" aria-current="true"');
    expect(await textOf(store, '/?q=zzzz')).not.toContain('Only apps with');
  });

  it('shows a 400 page for an invalid category, sort order or cursor', async () => {
    const store = await openTestStore();
    for (const query of ['?category=x', '?sort=x', '?cursor=x']) {
      const answer = await store.call('GET', `/${query}`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'text/html; charset=UTF-8']);
    }
  });

  it('escapes the texts of an app, and allows no script or request of another site', async () => {
    const store = await listed({ description: EVIL, permissions: [EVIL] });
    for (const path of ['/', `/?q=${encodeURIComponent(EVIL)}`, '/apps/com.example.notes']) {
      const answer = await store.call('GET', path);
      const text = await answer.text();
      expect(text).not.toMatch(/<script>|<img src=x/);
      expect(answer.headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
    }
  });

  it('is cached for 30 seconds, compressed, and answers 304 if it has not changed', async () => {
    const store = await listed();
    const answer = await store.call('GET', '/', { headers: { 'accept-encoding': 'br' } });
    expect(answer.headers.get('cache-control')).toBe('public, max-age=30');
    expect(answer.headers.get('content-encoding')).toBe('br');
    const etag = answer.headers.get('etag') ?? '';
    const again = await store.call('GET', '/', {
      headers: { 'accept-encoding': 'br', 'if-none-match': etag },
    });
    expect(again.status).toBe(304);
  });
});

describe('the page of a category', () => {
  const inMedia = () => listed({ categories: ['media', 'games'] });

  it('has its own address, title, description and icon, and the apps of the category', async () => {
    const store = await inMedia();
    const text = await textOf(store, '/categories/media');
    for (const said of [
      '<title>Media · svc app store</title>',
      '<link rel="canonical" href="https://store.test/categories/media">',
      '<meta name="description" content="Make, edit and convert',
      '<h1>Media</h1><p class="tagline">Make, edit and convert',
      'scale(0.5)"><svg class="icon"',
      '<a href="/apps/com.example.notes">Notes</a>',
      '<input type="hidden" name="category" value="media">',
    ])
      expect(text).toContain(said);
    expect(await textOf(store, '/categories/data')).toContain('No apps in this category yet');
  });

  it('is linked from the catalogue and from the page of an app', async () => {
    const store = await inMedia();
    expect(await textOf(store, '/')).toContain('<a href="/categories/media">');
    const page = await textOf(store, '/apps/com.example.notes');
    expect(page.match(/<a href="\/categories\/(media|games)">/g)).toHaveLength(3);
    for (const text of [page, await textOf(store, '/'), await textOf(store, '/categories/games')])
      expect(text).not.toContain('/?category=');
  });

  it('keeps the sort order in its links, and a search in the category keeps its query', async () => {
    const store = await inMedia();
    expect(await textOf(store, '/categories/media?sort=name')).toContain(
      '<a href="/categories/games?sort=name">',
    );
    const found = await textOf(store, '/?q=notes&category=media');
    expect(found).toContain('<a href="/?q=notes&amp;category=games">');
    expect(found).toContain('<link rel="canonical" href="https://store.test/categories/media">');
  });

  it('is cached like the catalogue, and renewed when an app is suspended', async () => {
    const store = await inMedia();
    const answer = await store.call('GET', '/categories/media', { headers: { 'accept-encoding': 'br' } });
    expect(answer.headers.get('cache-control')).toBe('public, max-age=30');
    expect(answer.headers.get('content-encoding')).toBe('br');
    expect(await textOf(store, '/categories/media')).toContain('com.example.notes');
    await store.admin('PATCH', '/api/admin/apps/com.example.notes', { suspended: true });
    expect(await textOf(store, '/categories/media')).not.toContain('com.example.notes');
  });

  it.each(['nothing', 'MEDIA', 'media%20', '%22%3E%3Cscript%3E', '__proto__', 'constructor'])(
    'is a 404 page with all categories for the unknown category %s',
    async (name) => {
      const answer = await (await inMedia()).call('GET', `/categories/${name}`);
      const text = await answer.text();
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store']);
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(text).toContain('<h1>There is no such category</h1>');
      expect(text.match(/<a href="\/categories\//g)).toHaveLength(12);
      expect(text).not.toMatch(/<script>/);
    },
  );
});

describe('the link preview of a page', () => {
  const PAGES = ['/', '/categories/media', '/apps/com.example.notes', '/publishers/example'] as const;
  const attributeOf = (text: string, property: string) =>
    new RegExp(`<meta (?:property|name)="${property}" content="([^"]*)">`).exec(text)?.[1];
  const pictureOf = async (store: TestStore, page: string) =>
    attributeOf(await textOf(store, page), 'og:image') ?? '';
  const pathOf = (address: string) => address.replace('https://store.test', '');

  it.each(PAGES)('has a large picture, a title and a description at %s', async (page) => {
    const store = await listed({ categories: ['media'] });
    const text = await textOf(store, page);
    expect(attributeOf(text, 'twitter:card')).toBe('summary_large_image');
    for (const property of ['og:title', 'og:description', 'og:url', 'og:image:alt'])
      expect([property, attributeOf(text, property)]).toEqual([property, expect.stringMatching(/./)]);
    const address = attributeOf(text, 'og:image') ?? '';
    expect(address).toMatch(/^https:\/\/store\.test\/(?:[^?]+\/)?preview\.png\?v=[0-9a-f]{12}$/);
    const answer = await store.call('GET', pathOf(address));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=86400');
    const { format, width, height } = await sharp(await answer.arrayBuffer()).metadata();
    expect({ format, width, height }).toEqual({ format: 'png', width: 1200, height: 630 });
    const etag = answer.headers.get('etag') ?? '';
    const again = await store.call('GET', pathOf(address), { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
  });

  it('names the store, whatever its name is', async () => {
    const store = await openTestStore({ environment: { SVC_STORE_NAME: '"><script>R&D' } });
    expect(await (await store.call('GET', '/')).text()).toContain(
      '<meta property="og:site_name" content="&quot;&gt;&lt;script&gt;R&amp;D">',
    );
  });

  it('has its picture under SVC_BASE_URL, also for a request to another host', async () => {
    const store = await openTestStore({ environment: { SVC_BASE_URL: 'https://apps.acme.example' } });
    expect(await pictureOf(store, '/')).toMatch(/^https:\/\/apps\.acme\.example\/preview\.png\?v=/);
  });

  it('gets a new address of its picture with a new name of the app, and keeps it with a new version', async () => {
    const store = await listed();
    const first = await pictureOf(store, '/apps/com.example.notes');
    const token = await store.publisherToken();
    await store.publish(token, { version: '1.1.0' });
    await store.decide('approve', '1.1.0');
    expect(await pictureOf(store, '/apps/com.example.notes')).toBe(first);
    await store.publish(token, { version: '1.2.0', name: 'Letters' });
    await store.decide('approve', '1.2.0');
    expect(await pictureOf(store, '/apps/com.example.notes')).not.toBe(first);
  });

  it('has no picture for a suspended or unknown app or publisher', async () => {
    const store = await listed();
    const paths = ['/apps/com.example.notes/preview.png', '/publishers/example/preview.png'];
    for (const path of paths) expect((await store.call('GET', path)).status).toBe(200);
    await store.admin('PATCH', '/api/admin/apps/com.example.notes', { suspended: true });
    for (const path of paths) expect((await store.call('GET', path)).status).toBe(404);
    expect((await store.call('GET', '/apps/com.example.none/preview.png')).status).toBe(404);
    expect((await store.call('GET', '/publishers/none/preview.png')).status).toBe(404);
  });

  it('does not exist for an app that waits for a review', async () => {
    const store = await openTestStore();
    await store.publish(await store.publisherToken());
    for (const path of [
      '/apps/com.example.notes/preview.png',
      '/publishers/example',
      '/publishers/example/preview.png',
    ])
      expect([path, (await store.call('GET', path)).status]).toEqual([path, 404]);
  });

  it('escapes a hostile name', async () => {
    const store = await listed({ name: '"><meta property="og:image"', description: EVIL });
    const text = await textOf(store, '/apps/com.example.notes');
    expect(text.match(/<meta property="og:image"/g)).toHaveLength(1);
    expect(attributeOf(text, 'og:title')).toContain('&quot;&gt;&lt;meta');
    expect((await store.call('GET', '/apps/com.example.notes/preview.png')).status).toBe(200);
  });
});

describe('the page of a publisher', () => {
  it('shows its apps and its verification', async () => {
    const store = await listed();
    const text = await textOf(store, '/publishers/example');
    expect(text).toContain('<h1><bdi>The example</bdi></h1>');
    expect(text).toContain('<a href="/apps/com.example.notes">Notes</a>');
    expect(text).toContain('<link rel="canonical" href="https://store.test/publishers/example">');
    // What the store knows of its apps, and no card that repeats whose they are.
    expect(text).toMatch(/<p class="figures known">.*<\/svg>[^<]*host/);
    expect(text).not.toContain('<p class="by"><bdi>The example</bdi>');
    expect(await textOf(store, '/apps/com.example.notes')).toContain('<a href="/publishers/example">');
    await store.admin('PATCH', '/api/admin/publishers/example', { verified: true });
    expect(await textOf(store, '/publishers/example')).toContain('Verified by this store');
  });

  it('says when its website was last checked, unless the check did not find the proof', async () => {
    const pageWhere = async (missingSince: string | null) => {
      const store = await listed();
      const check = { verifiedHost: 'example.com', checkedAt: '2026-02-22T12:00:00.000Z', missingSince };
      await store.stores.publishers.change('example', { verifiedBy: 'website', ...check });
      return textOf(store, '/publishers/example');
    };
    expect(await pageWhere(null)).toMatch(/Website checked <time datetime="2026-02-22/);
    expect(await pageWhere('2026-02-22T12:00:00.000Z')).not.toContain('Website checked');
  });

  it('answers 404 if the publisher is unknown or has no listed app, and 410 if it is suspended', async () => {
    const store = await listed();
    await store.publisherToken('empty');
    for (const slug of ['nobody', 'empty'])
      expect((await store.call('GET', `/publishers/${slug}`)).status).toBe(404);
    await store.admin('PATCH', '/api/admin/publishers/example', { suspended: true });
    expect((await store.call('GET', '/publishers/example')).status).toBe(410);
  });
});
