import { ERRORS } from '@svc/contracts';
import { RULES } from '@svc/validator';
import { describe, expect, it } from 'vitest';
import { needsExtension, ROUTES_OF_STORE } from '../../support/extensions.ts';
import { BASE_URL, openTestStore } from '../../support/test-store.ts';

/** The tabs of examples in a page; the chosen ones with a star. */
const tabsIn = (page: string): string[] =>
  [
    ...page.matchAll(
      /<label><input class="sr" type="radio" name="[^"]+"( checked)?>(\w+)<\/label><div class="code-block">/g,
    ),
  ].map(([, checked, title]) => `${title}${checked ? '*' : ''}`);

describe('the description of the API', () => {
  it('is served as an overview and one page for each part, without scripts except those of the header', async () => {
    const store = await openTestStore();
    const textOf = async (path: string) => (await store.call('GET', path)).text();
    const response = await store.call('GET', '/api/docs');
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; /,
    );
    const overview = await response.text();
    const addresses = [...overview.matchAll(/<li><a href="(\/api\/docs\?tag=[^"#]+)"/g)].map(
      ([, one = '']) => one,
    );
    expect(addresses.length).toBeGreaterThan(8);
    const pages = new Map<string, string>([['/api/docs', overview]]);
    for (const address of new Set(addresses)) pages.set(address, await textOf(address));
    const all = [...pages.values()].join('');
    for (const name of ROUTES_OF_STORE) expect(all).toContain(`id="${name}"`);
    for (const code of Object.keys(ERRORS)) expect(all).toContain(`id="error-${code}"`);
    expect(all).not.toMatch(/<script(?! (type="module" )?src="\/assets\/)|onload=|javascript:/i);
    const targets = [...all.matchAll(/href="(\/api\/docs[^"#]*)#([^"]+)"/g)];
    expect(targets.length).toBeGreaterThan(100);
    const missing = targets.filter(([, page = '', id]) => !pages.get(page)?.includes(`id="${id}"`));
    expect(missing.map(([whole]) => whole)).toEqual([]);
    expect((await store.call('GET', '/api/docs?tag=Nothing')).status).toBe(404);
    // The whole reference was one page of 12,000 elements.
    for (const text of pages.values()) expect(text.match(/<[a-z]/g)?.length).toBeLessThan(9_000);
  });

  it(
    'can be searched by words of paths, summaries and names, and shows expanded results',
    needsExtension('ratings'),
    async () => {
      const store = await openTestStore();
      const found = await (await store.call('GET', '/api/docs?q=Post%20/API/apps/publish')).text();
      expect(found).toContain('id="publish"');
      expect(found).not.toContain('id="catalog"');
      expect(found).toContain(`curl -X POST -H &quot;Authorization: Bearer $SVC_TOKEN&quot;`);
      const body = await (await store.call('GET', '/api/docs?q=writeReview')).text();
      // The highlighter marks parts of it.
      expect(body.replace(/<[^>]+>/g, '')).toContain('{\n  &quot;rating&quot;: 1\n}');
      expect(tabsIn(body).slice(0, 2)).toEqual(['curl*', 'JavaScript']);
      const none = await (await store.call('GET', '/api/docs?q=zzzz')).text();
      expect(none).toContain('No matches.');
      const hostile = encodeURIComponent('"><script>alert(1)</script>');
      const escaped = await (await store.call('GET', `/api/docs?q=${hostile}`)).text();
      expect(escaped).toContain('value="&quot;&gt;&lt;script&gt;');
      expect((await store.call('GET', `/api/docs?q=${'x'.repeat(201)}`)).status).toBe(400);
    },
  );
});

describe('the documentation', () => {
  it('is served in cacheable pages, without scripts except those of the header', async () => {
    const store = await openTestStore();
    const index = await (await store.call('GET', '/docs')).text();
    expect([...index.matchAll(/<li><a href="\/docs\/(\w+)"><svg/g)].map(([, name]) => name)).toEqual([
      'desktop',
      'tutorial',
      'operating',
    ]);
    const names = [...new Set([...index.matchAll(/href="\/docs\/(\w+)"/g)].map(([, name]) => name))];
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) {
      const response = await store.call('GET', `/docs/${name}`);
      expect([name, response.status]).toEqual([name, 200]);
      const text = await response.text();
      expect(text).not.toMatch(/<script(?! (type="module" )?src="\/assets\/)/i);
      const ids = new Set([...text.matchAll(/id="([^"]+)"/g)].map(([, id]) => id));
      const anchors = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
      expect(anchors.filter((id) => !ids.has(id))).toEqual([]);
      const etag = response.headers.get('etag') ?? '';
      const again = await store.call('GET', `/docs/${name}`, { headers: { 'if-none-match': etag } });
      expect(again.status).toBe(304);
    }
  });

  it('has the address of this store in its examples', async () => {
    const store = await openTestStore();
    for (const name of ['ci', 'desktop', 'publishing', 'registry', 'tutorial']) {
      const text = await (await store.call('GET', `/docs/${name}`)).text();
      expect(text).toContain(BASE_URL);
      expect(text).not.toContain('store.example.com');
    }
  });

  it('can be searched, and shows the query as text', async () => {
    const store = await openTestStore();
    const page = await (await store.call('GET', '/docs?q=rotate')).text();
    expect(page).toContain('href="/docs/backup#keys"');
    const hostile = encodeURIComponent('"><script>alert(1)</script>');
    const answer = await (await store.call('GET', `/docs?q=${hostile}`)).text();
    expect(answer).toContain('No matches.');
    expect(answer).not.toMatch(/<script(?! (type="module" )?src="\/assets\/)/i);
    expect((await store.call('GET', `/docs?q=${'x'.repeat(201)}`)).status).toBe(400);
  });

  it('suggests a document for an unknown name', async () => {
    const store = await openTestStore();
    const answer = await store.call('GET', '/docs/operatng');
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ message: expect.stringContaining('/docs/operating') });
    for (const name of ['..%2f..%2fpackage', '__proto__', 'index']) {
      expect((await store.call('GET', `/docs/${name}`)).status).toBe(404);
    }
  });
});

describe('the documentation of codes', () => {
  it('has a page for every code, and a list', async () => {
    const store = await openTestStore();
    const list = await (await store.call('GET', '/docs/codes')).text();
    for (const { code } of RULES) {
      expect(list).toContain(`href="/docs/codes/${code}"`);
      const response = await store.call('GET', `/docs/codes/${code}`);
      expect(response.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self'; /,
      );
      const page = await response.text();
      expect(page).toContain(`<h1>${code}</h1>`);
      // Examples contain scripts and markup, which are shown and never run.
      expect(page.slice(page.indexOf('<main'))).not.toMatch(/<script|<svg|<[^>]+onclick=/i);
    }
  });

  it('can be narrowed to words and to a level, and shows the query as text', async () => {
    const store = await openTestStore();
    const codesOf = async (query: string) => {
      const text = await (await store.call('GET', `/docs/codes?${query}`)).text();
      return [...text.matchAll(/class="endpoint" href="\/docs\/codes\/([^"]+)"/g)].map(([, code]) => code);
    };
    const ofLevel = (level: string) => RULES.filter((rule) => rule.level === level).map(({ code }) => code);
    for (const level of ['error', 'store-error', 'warning'])
      expect(await codesOf(`level=${level}`)).toEqual(ofLevel(level).sort());
    expect(await codesOf('q=BUNDLE%20obfuscated&level=warning')).toContain('bundle.obfuscated');
    expect(await codesOf('q=bundle.obfuscated&level=error')).toEqual([]);
    const hostile = encodeURIComponent('"><script>alert(1)</script>');
    const answer = await (await store.call('GET', `/docs/codes?q=${hostile}`)).text();
    expect(answer).toContain('No code matches.');
    expect(answer).toContain('value="&quot;&gt;&lt;script&gt;');
    expect((await store.call('GET', '/docs/codes?level=none')).status).toBe(400);
  });

  it('answers 404 for an unknown code', async () => {
    const store = await openTestStore();
    const response = await store.call('GET', '/docs/codes/nothing.such');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'not_found' });
  });

  it('shows errors to browsers as a page', async () => {
    const store = await openTestStore();
    for (const path of ['/docs/codes/nothing.such', '/docs/operatng', `/docs?q=${'x'.repeat(201)}`]) {
      const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
      const answer = await store.call('GET', path, { headers });
      expect([path, answer.headers.get('content-type')]).toEqual([path, 'text/html; charset=UTF-8']);
      expect(await answer.text()).toContain('class="shell"');
    }
  });
});
