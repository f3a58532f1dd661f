import { expect, it } from 'vitest';
import { openTestStore } from '../../support/test-store.ts';

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

it('is HTML for browsers at the review URL, and JSON for programs', async () => {
  const { open } = await published();
  const page = await open(BROWSER);
  expect(page.headers.get('content-type')).toMatch(/^text\/html/);
  expect(page.headers.get('vary')).toContain('Accept');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  const text = await page.text();
  for (const part of ['com.example.notes 1.0.0', 'In review', 'first-version', '1 of 1'])
    expect(text).toContain(part);
  for (const accept of [undefined, '*/*', 'application/json', 'application/json, text/html;q=0.9']) {
    const answer = await open(accept);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('vary')).toContain('Accept');
    expect(await answer.json()).toMatchObject({ status: 'in_review' });
  }
});

it('shows the note of a moderator as text, and distinguishes a retraction from a rejection', async () => {
  const { store, token, open } = await published();
  await store.decide('reject', '1.0.0', { note: '<script>alert(1)</script>\nAnd more.' });
  const text = await (await open(BROWSER)).text();
  expect(text).toContain('Rejected');
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(text).not.toContain('<script>alert');
  await store.publish(token, { version: '1.1.0' });
  const path = '/api/apps/com.example.notes/versions/1.1.0';
  await store.call('POST', `${path}/withdraw`, { token });
  expect(await (await open(BROWSER, `${path}/status`)).text()).toContain('Retracted');
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
