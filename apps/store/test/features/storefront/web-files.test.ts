import { sampleBundle } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

async function listed() {
  const store = await openTestStore();
  const token = await store.publisherToken();
  for (const [id, name] of [
    ['com.example.notes', 'Notes & <Lists>'],
    ['com.example.board', 'Board'],
  ] as const) {
    const { appId, version } = await bodyOf(store.upload(token, sampleBundle({ id, name })));
    await store.decide('approve', version, {}, appId);
    store.advance(60_000);
  }
  return store;
}

describe('the files for programs that know the web', () => {
  it('tell crawlers which pages to read, and agents where to begin', async () => {
    const store = await listed();
    const robots = await store.call('GET', '/robots.txt');
    expect(robots.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await robots.text()).toMatch(/^User-agent: \*\nDisallow: /);
    const links = [...(await (await store.call('GET', '/llms.txt')).text()).matchAll(/\]\(([^)]*)\)/g)];
    expect(links.length).toBeGreaterThan(6);
    for (const [, address = ''] of links) {
      const { pathname } = new URL(address);
      expect((await store.call('GET', pathname)).status, pathname).toBe(200);
    }
  });

  it('list new and updated apps as Atom', async () => {
    const store = await listed();
    const response = await store.call('GET', '/feeds/new.atom');
    expect(response.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
    const text = await response.text();
    const entries = text.split('<entry>').slice(1);
    expect(entries.map((entry) => /<title>(.*)<\/title>/.exec(entry)?.[1])).toEqual([
      'Board 1.0.0',
      'Notes &amp; &lt;Lists&gt; 1.0.0',
    ]);
    expect(entries[0]).toContain('<link href="https://store.test/apps/com.example.board"/>');
    expect(new Set(entries.map((entry) => /<id>(.*)<\/id>/.exec(entry)?.[1])).size).toBe(2);
    const times = [...text.matchAll(/<updated>(.*)<\/updated>/g)].map(([, time]) => time);
    expect(times[0]).toBe(times[1]);
  });

  it('list them as a JSON Feed, and no other feed', async () => {
    const store = await listed();
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
});
