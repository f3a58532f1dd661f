import { describe, expect, it } from 'vitest';
import { formIn, openBrowser } from '../support/person.ts';
import { startPinboard } from '../support/pinboard.ts';

/** A browser on a page of the sign-in. */
async function atPage(pinboard: Awaited<ReturnType<typeof startPinboard>>, name?: string) {
  const { client_id } = (await (await pinboard.register()).json()) as { client_id: string };
  const browser = openBrowser();
  const follow = async (url: URL, init?: RequestInit): Promise<{ url: URL; answer: Response }> => {
    const answer = await browser.request(url, init);
    const next = answer.headers.get('location');
    const isOurs = next !== null && new URL(next, url).origin === url.origin;
    return isOurs ? follow(new URL(next, url)) : { url, answer };
  };
  let { url, answer } = await follow(new URL(pinboard.authorizeUrl({ client_id })));
  const html = () => answer.clone().text();
  const post = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    follow(url, { method: 'POST', headers, body: new URLSearchParams(fields) });
  if (name !== undefined) {
    const { seal = '' } = formIn(await html()) ?? {};
    ({ url, answer } = await post({ seal, name }));
  }
  const { seal = '' } = formIn(await html()) ?? {};
  return { browser, url, seal, post, answer };
}

describe('the page that asks for consent', () => {
  it('cannot be framed, send its form elsewhere, or run a script', async () => {
    const { answer } = await atPage(await startPinboard(), 'Ada');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self' https://store.example.com;");
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  });

  it.each([
    { what: 'no CSRF token', seal: () => '' },
    { what: 'a forged CSRF token', seal: () => 'f'.repeat(64) },
    { what: 'the CSRF token of the previous page', seal: (before: string) => before },
  ])('rejects a form with $what', async ({ seal }) => {
    const pinboard = await startPinboard();
    const before = await atPage(pinboard);
    const page = await atPage(pinboard, 'Ada');
    const { answer } = await page.post({ seal: seal(before.seal), answer: 'allow' });
    expect(answer.status).toBe(403);
    const { answer: right } = await page.post({ seal: page.seal, answer: 'allow' });
    expect(right.headers.get('location')).toMatch(/^https:\/\/store\.example\.com\/.*code=/);
  });

  it('refuses the form of another browser, even with the right CSRF token', async () => {
    const pinboard = await startPinboard();
    const { url, seal } = await atPage(pinboard, 'Ada');
    const body = new URLSearchParams({ seal, answer: 'allow' });
    const alone = await fetch(url, { method: 'POST', body, redirect: 'manual' });
    expect(alone.status).toBe(400);
    // The same for a browser with another sign-in.
    const other = await atPage(pinboard, 'Mallory');
    const cookie = Array.from(other.browser.jar, (pair) => pair.join('=')).join('; ');
    const crossed = await fetch(url, { method: 'POST', body, redirect: 'manual', headers: { cookie } });
    expect(crossed.status).toBe(400);
    expect(crossed.headers.get('location')).toBeNull();
  });

  it('accepts only short forms of the type that browsers send', async () => {
    const pinboard = await startPinboard();
    const { post, seal } = await atPage(pinboard, 'Ada');
    const json = await post({ seal, answer: 'allow' }, { 'content-type': 'application/json' });
    expect(json.answer.status).toBe(403);
    const long = await post({ seal, answer: 'allow', more: 'x'.repeat(5_000) });
    expect(long.answer.status).toBe(403);
  });
});

describe('the page that asks for a name', () => {
  it.each(['', ' ', '<script>alert(1)</script>', 'x'.repeat(41), '\u202eadA', '../ada', '-ada'])(
    'rejects the name %j with an error message',
    async (name) => {
      const { post, seal } = await atPage(await startPinboard());
      const { answer } = await post({ seal, name });
      expect(answer.status).toBe(400);
      const html = await answer.text();
      expect(html).toContain('role="alert"');
      expect(html).not.toContain('<script');
    },
  );

  it('says that there are no passwords', async () => {
    const { answer } = await atPage(await startPinboard());
    expect(await answer.text()).toContain('there are no passwords');
  });
});
