import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIMITS } from '@svc/contracts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { has } from '../../support/extensions.ts';
import { openModeratedStore } from '../../support/moderated-store.ts';
import { bodyOf, jsonOf, openTestStore } from '../../support/test-store.ts';

/** The Accept header of a browser. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

async function published() {
  const store = await openTestStore();
  const token = await store.publisherToken();
  const { reviewUrl } = (await (await store.publish(token)).json()) as { reviewUrl: string };
  const { pathname } = new URL(reviewUrl);
  const open = (accept?: string, path = pathname) =>
    store.call('GET', path, { headers: accept === undefined ? {} : { accept } });
  return { store, token, open };
}

/** The states of the timeline, in order. */
const stepsIn = (text: string) =>
  [...text.matchAll(/<li class="(done|now|ahead|bad)"/g)].map(([, state]) => state);

it('is HTML for browsers at the review URL, and JSON for programs', async () => {
  const { open } = await published();
  const page = await open(BROWSER);
  expect(page.headers.get('content-type')).toMatch(/^text\/html/);
  expect(page.headers.get('vary')).toContain('Accept');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  const text = await page.text();
  for (const part of [
    '<title>com.example.notes 1.0.0: in review',
    '<dt>Reasons</dt><dd>first-version, publisher-unverified</dd>',
    '<dt>Place in the queue</dt><dd>1 of 1</dd>',
  ])
    expect(text).toContain(part);
  expect(text).not.toMatch(
    /Changes requested|Probably decided|<h2>Notes|<h2>Findings|See it in the catalogue/,
  );
  expect(stepsIn(text)).toEqual(['done', 'done', 'now', 'ahead', 'ahead']);
  // The name of an app that is not listed is not public.
  expect(text).toContain('<h1><bdi>com.example.notes</bdi> 1.0.0</h1>');
  expect(text).toContain('aria-current="step"><strong>In review</strong>');
  expect(text).toContain('href="/account/publishers"');
  for (const accept of [undefined, '*/*', 'application/json', 'application/json, text/html;q=0.9']) {
    const answer = await open(accept);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('vary')).toContain('Accept');
    expect(await answer.json()).toMatchObject({ status: 'in_review' });
  }
});

it('links the findings of a published version to their pages, and the version to the catalogue', async () => {
  const { store, token, open } = await published();
  await store.publish(token, { version: '1.1.0', categories: [] });
  await store.decide('approve', '1.1.0', {});
  const text = await (await open(BROWSER, '/api/apps/com.example.notes/versions/1.1.0/status')).text();
  expect(text).toContain('It is in the catalogue, and users can install it.');
  expect(text).toContain('<h1><bdi>Notes</bdi> 1.1.0</h1>');
  expect(text).toMatch(/<img class="app-icon" src="[^"]+raster=192"/);
  expect(stepsIn(text)).toEqual(['done', 'done', 'done', 'done']);
  expect(text.includes('href="/apps/com.example.notes">See it in the catalogue</a>')).toBe(has('storefront'));
  expect(text).not.toContain('<dl class="facts">');
  expect(text).toMatch(/<code>categories\.missing<\/code>(?:<\/a>)?\s*<code>\/categories<\/code><br>/);
  if (has('docs')) expect(text).toContain('/docs/codes/categories.missing"><code>');
  const path = '/api/apps/com.example.notes/versions/1.1.0';
  await store.call('POST', `${path}/yank`, { token, json: { reason: 'It lost notes.' } });
  const yanked = await (await open(BROWSER, `${path}/status`)).text();
  expect(stepsIn(yanked)).toEqual(['done', 'done', 'done', 'done', 'bad']);
  expect(yanked).toContain('It was yanked. Clients that have it turn it off.');
  // When it was published is public, and stays so.
  for (const page of [text, yanked])
    expect(page).toMatch(
      /<strong>Published<\/strong> <time datetime="2026-[^"]+">Mar 1, 2026, .* UTC<\/time>/,
    );
  expect(yanked).not.toContain('See it in the catalogue');
});

it('leads to the page of a listed app alone, where the store has such pages', async () => {
  for (const hasPages of [true, false]) {
    const store = await openTestStore(hasPages ? {} : { environment: { SVC_WITHOUT: 'storefront' } });
    const token = await store.publisherToken('example', true);
    await store.publish(token);
    const pathname = '/api/apps/com.example.notes/versions/1.0.0/status';
    const crumbsAt = async () => {
      const page = await (await store.call('GET', pathname, { headers: { accept: BROWSER } })).text();
      return [/<nav[^>]+aria-label="Breadcrumb".*?<\/nav>/s.exec(page)?.[0], page] as const;
    };
    const [inReview, first] = await crumbsAt();
    expect(inReview).toContain('1.0.0');
    expect(first).not.toContain('href="/apps/');
    await store.decide('approve', '1.0.0');
    const [crumbs, page] = await crumbsAt();
    const isLinked = hasPages && has('storefront');
    expect(crumbs?.includes('href="/apps/com.example.notes"')).toBe(isLinked);
    expect(page.includes('See it in the catalogue')).toBe(isLinked);
    // One time in the timeline: that of the publication.
    expect(page.match(/<li[^>]*><strong>[^<]+<\/strong> <time/g)).toHaveLength(1);
  }
});

it('shows how long reviews take, by reason, and when a version is probably decided', async () => {
  const { store, open } = await published();
  const pageOf = async (path?: string) => (await open(BROWSER, path)).text();
  const decided = (reason: string, ms: number) =>
    Array.from({ length: 20 }, () => ({
      submittedAt: new Date(0).toISOString(),
      decidedAt: new Date(ms).toISOString(),
      reasons: [reason],
    }));
  store.advance(120_000);
  store.stores.reviews.decidedSince = async () => [
    ...decided('first-version', 10_000),
    ...decided('publisher-unverified', 3_600_000),
    ...decided('permissions-widened', 3 * 24 * 3_600_000),
  ];
  const text = await pageOf('/api/review-clock');
  const rows = [...text.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([row]) => row.replace(/<[^>]+>/g, '|'));
  expect(rows.map((row) => row.split('|').filter((cell) => cell.trim() !== ''))).toEqual([
    ['Reason', 'Waiting', 'Half within', 'Nine of ten within', 'Decisions'],
    ['All', '1', '1 hour', '3 days', '60'],
    [expect.any(String), '1', 'under a minute', 'under a minute', '20'],
    [expect.any(String), '0', '3 days', '3 days', '20'],
    [expect.any(String), '1', '1 hour', '1 hour', '20'],
  ]);
  expect(text).toMatch(
    /<div class="prose wide"><nav aria-label="Breadcrumb">.*href="\/policy".*Review times/s,
  );
  expect(text).toContain('was uploaded <time datetime="2026-03-01T12:00:00.000Z">2026-03-01</time>');
  expect(await pageOf()).toContain('<dt>Probably decided</dt><dd><time datetime="2026-03-01T13:00:00.000Z">');
  store.stores.reviews.waitingByReasons = async () => [];
  store.advance(120_000);
  expect(await pageOf('/api/review-clock')).not.toContain('waits longest');
});

it('says that the version of a suspended publisher is on hold, until the suspension ends', async () => {
  const { store, open } = await published();
  for (const suspended of [true, false]) {
    await store.admin('PATCH', '/api/admin/publishers/example', { suspended, reason: 'Spam.' });
    const text = await (await open(BROWSER)).text();
    expect(text.includes('aria-current="step"><strong>On hold</strong>')).toBe(suspended);
    expect(text.includes('A moderator reviews it')).toBe(!suspended);
    expect((await bodyOf(open())).held).toBe(suspended || undefined);
  }
  await store.decide('approve', '1.0.0');
  await store.admin('PATCH', '/api/admin/publishers/example', { suspended: true, reason: 'Spam.' });
  expect(await bodyOf(open())).not.toHaveProperty('held');
});

it('says that a moderator asked for changes', async () => {
  const store = await openModeratedStore();
  await store.publish(await store.publisherToken());
  const path = 'apps/com.example.notes/versions/1.0.0';
  const asked = { text: 'Please fix it.', requestChanges: true };
  await store.as('anna', 'POST', `/api/moderation/${path}/messages`, asked);
  const page = await store.call('GET', `/api/${path}/status`, { headers: { accept: BROWSER } });
  expect(await page.text()).toContain('<strong>Changes requested.</strong>');
});

it('shows the note of a moderator as text, and distinguishes a retraction from a rejection', async () => {
  const { store, token, open } = await published();
  await store.decide('reject', '1.0.0', { note: '<script>alert(1)</script>\nAnd more.' });
  const text = await (await open(BROWSER)).text();
  expect(text).toContain('Rejected');
  expect(stepsIn(text)).toEqual(['done', 'done', 'done', 'bad']);
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(text).not.toContain('<script>alert');
  await store.publish(token, { version: '1.1.0' });
  const path = '/api/apps/com.example.notes/versions/1.1.0';
  await store.call('POST', `${path}/withdraw`, { token });
  const retracted = await (await open(BROWSER, `${path}/status`)).text();
  expect(retracted).toMatch(/<title>[^<]*: retracted.*Retracted.*Its publisher retracted it/s);
  expect(stepsIn(retracted)).toEqual(['done', 'done', 'done', 'bad']);
});

it('answers 404 for an unknown version, with a page for browsers and the error envelope for programs', async () => {
  const { open } = await published();
  const path = '/api/apps/com.example.notes/versions/9.9.9/status';
  const page = await open(BROWSER, path);
  expect([page.status, page.headers.get('content-type')]).toEqual([
    404,
    expect.stringMatching(/^text\/html/),
  ]);
  expect(await (await open('application/json', path)).json()).toMatchObject({ code: 'not_found' });
});

describe('the status of a version', () => {
  it('has the reasons for the review, the position in the queue and the due date', async () => {
    const store = await openModeratedStore({ policy: { reviewDays: 0.5 } });
    const token = await store.publisherToken();
    const status = (appId: string, version = '1.0.0') =>
      bodyOf(store.call('GET', `/api/apps/${appId}/versions/${version}/status`));
    await store.publish(token, { id: 'com.example.first' });
    store.advance(1_000);
    await store.publish(token, { id: 'com.example.second' });
    expect(await status('com.example.second')).toEqual({
      httpStatus: 200,
      appId: 'com.example.second',
      version: '1.0.0',
      status: 'in_review',
      issues: expect.any(Array),
      notes: '',
      retracted: false,
      reasons: ['first-version', 'publisher-unverified'],
      review: { position: 2, of: 2, dueAt: '2026-03-02T00:00:01.000Z' },
    });
    store.advance(1_000);
    await store.publish(token, { id: 'com.example.first', version: '1.1.0' });
    expect(await status('com.example.first')).toMatchObject({ review: { position: 3, of: 3 } });
    expect(await status('com.example.second')).toMatchObject({ review: { position: 1, of: 3 } });
    await store.decide('approve', '1.0.0', {}, 'com.example.second');
    const after = await status('com.example.second');
    expect(after).toMatchObject({ status: 'published' });
    expect(Object.keys(after)).not.toContain('review');
    expect(Object.keys(after)).not.toContain('reasons');
    expect(await status('com.example.first', '1.1.0')).toMatchObject({ review: { position: 1, of: 2 } });
  });
});

const { perDeveloper } = LIMITS.uploads;
const bad = new Uint8Array([1]);

describe('the upload quota', () => {
  it('counts refused uploads too, reports the remaining ones, and refuses more', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    for (let n = 1; n <= perDeveloper; n += 1) {
      const response = await store.upload(token, bad);
      expect([response.status, response.headers.get('ratelimit')]).toEqual([
        400,
        `"uploads";r=${perDeveloper - n};t=600`,
      ]);
    }
    const refused = await store.publish(token);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '600']);
    expect(refused.headers.get('ratelimit')).toBe('"uploads";r=0;t=600');
    expect(refused.headers.get('ratelimit-policy')).toBe(`"uploads";q=${perDeveloper};w=600`);
    expect(await jsonOf(refused)).toMatchObject({ code: 'rate_limited', retryAfter: 600 });
  });

  it('is that of the policy, and resets after its window and not before', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-quota-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const policyFile = join(folder, 'policy.json');
    await writeFile(policyFile, JSON.stringify({ uploadQuota: { uploads: 2, minutes: 60 } }));
    const store = await openTestStore({ policyFile });
    const token = await store.publisherToken();
    for (let n = 0; n < 2; n += 1) expect((await store.upload(token, bad)).status).toBe(400);
    store.advance(3_600_000 - 1);
    expect((await store.upload(token, bad)).status).toBe(429);
    store.advance(2);
    expect((await store.publish(token)).status).toBe(201);
  });

  it('holds for concurrent uploads', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    const answers = await Promise.all(Array.from({ length: 50 }, () => store.upload(token, bad)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(perDeveloper);
    expect(statuses.filter((status) => status === 429)).toHaveLength(50 - perDeveloper);
  });

  it('is separate for each developer, and does not apply to automation', async () => {
    const store = await openTestStore();
    const [one, other] = [await store.publisherToken('one'), await store.publisherToken('other')];
    for (let n = 0; n <= perDeveloper; n += 1) await store.upload(one, bad);
    expect((await store.upload(one, bad)).status).toBe(429);
    expect((await store.upload(other, bad)).status).toBe(400);
    for (let n = 0; n <= perDeveloper; n += 1) {
      const answer = await store.call('POST', '/api/apps/publish', {
        token: 'automation-0123456789',
        body: bad as Uint8Array<ArrayBuffer>,
        headers: { 'content-type': 'application/zip' },
      });
      expect(answer.status).toBe(400);
    }
  });
});
