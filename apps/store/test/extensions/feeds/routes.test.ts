import { describe, expect, it } from 'vitest';
import { has, needsExtension } from '../../support/extensions.ts';
import { openListedStore } from '../../support/listed-store.ts';
import { bodyOf } from '../../support/test-store.ts';

const PAGES = needsExtension('storefront');

describe('feeds', () => {
  it('describe an app for pages that link to it, and nothing else', PAGES, async () => {
    const store = await openListedStore();
    const page = await (await store.call('GET', '/apps/com.example.notes')).text();
    const href = /oembed" title="[^"]*" href="([^"]*)"/.exec(page)?.[1] ?? '';
    const address = `${new URL(href).pathname}${new URL(href).search}`;
    expect(await (await store.call('GET', address)).json()).toMatchObject({
      ...{ version: '1.0', type: 'link', thumbnail_width: 1_200 },
      author_url: expect.stringContaining('/publishers/'),
    });
    const small = await (await store.call('GET', `${address}&maxwidth=400`)).json();
    expect(small).not.toHaveProperty('thumbnail_url');
    for (const other of [
      `${address}&format=xml`,
      '/oembed?url=https://evil.example/apps/com.example.notes',
      '/oembed?url=/apps/com.none',
      '/oembed?url=/apps/%25zz',
    ])
      expect((await store.call('GET', other)).status, other).toBe(404);
  });

  it('list new and updated apps as Atom', async () => {
    const store = await openListedStore();
    const response = await store.call('GET', '/feeds/new.atom');
    expect(response.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
    const text = await response.text();
    const entries = text.split('<entry>').slice(1);
    expect(entries.map((entry) => /<title>(.*)<\/title>/.exec(entry)?.[1])).toEqual([
      'Board 1.0.0',
      'Notes &amp; &lt;Lists&gt; 1.0.0',
    ]);
    const page = has('storefront') ? '/apps/com.example.board' : '/api/apps/com.example.board';
    expect(entries[0]).toContain(`<link href="https://store.test${page}"/>`);
    expect(new Set(entries.map((entry) => /<id>(.*)<\/id>/.exec(entry)?.[1])).size).toBe(2);
    const times = [...text.matchAll(/<updated>(.*)<\/updated>/g)].map(([, time]) => time);
    expect(times[0]).toBe(times[1]);
  });

  it('list them as a JSON Feed, and no other feed', async () => {
    const store = await openListedStore();
    const feed = await bodyOf(store.call('GET', '/feeds/updated.json'));
    expect(feed).toMatchObject({
      version: 'https://jsonfeed.org/version/1.1',
      feed_url: 'https://store.test/feeds/updated.json',
    });
    expect(feed.items.map(({ title }: { title: string }) => title)).toEqual([
      'Board 1.0.0',
      'Notes & <Lists> 1.0.0',
    ]);
    for (const path of ['/feeds/new.rss', '/feeds/all.atom', '/feeds/'])
      expect([400, 404]).toContain((await store.call('GET', path)).status);
  });

  it('are announced by the pages that they follow', PAGES, async () => {
    const store = await openListedStore();
    const announced = async (path: string) =>
      [
        ...(await (await store.call('GET', path)).text()).matchAll(
          /rel="alternate"[^>]+href="(?:[^"]*)(\/feeds[^"]+)"/g,
        ),
      ].map(([, feed]) => feed);
    const all = ['/feeds/new.atom', '/feeds/updated.atom', '/feeds/yanks.atom'];
    expect(await announced('/')).toEqual(all);
    expect(await announced('/categories/productivity')).toEqual(all);
    expect(await announced('/publishers/example')).toEqual(['/feeds/publishers/example.atom']);
    for (const feed of all) expect((await store.call('GET', feed)).status).toBe(200);
  });

  it('cover one app, one publisher, and yanked versions', async () => {
    const store = await openListedStore();
    const json = (path: string) => bodyOf(store.call('GET', path));
    const titles = ({ items }: { items: { title: string }[] }) => items.map(({ title }) => title);
    const next = { id: 'com.example.notes', name: 'Notes & <Lists>', version: '1.1.0' };
    await store.publish(store.token, next);
    expect((await store.decide('approve', '1.1.0', {})).status).toBe(200);
    expect(titles(await json('/feeds/apps/com.example.notes.json'))).toEqual([
      'Notes & <Lists> 1.1.0',
      'Notes & <Lists> 1.0.0',
    ]);
    expect(titles(await json('/feeds/publishers/example.json'))).toEqual([
      'Notes & <Lists> 1.1.0',
      'Board 1.0.0',
    ]);
    expect(titles(await json('/feeds/yanks.json'))).toEqual([]);
    await store.admin('POST', '/api/apps/com.example.board/versions/1.0.0/yank', {
      reason: 'It lost boards.',
    });
    store.advance(5 * 60_000);
    expect((await json('/feeds/yanks.json')).items).toMatchObject([
      { title: 'Board (com.example.board) 1.0.0 was yanked', content_text: 'It lost boards.' },
    ]);
    for (const path of ['/feeds/apps/com.example.none.atom', '/feeds/publishers/none.atom'])
      expect([path, (await store.call('GET', path)).status]).toEqual([path, 404]);
  });
});
