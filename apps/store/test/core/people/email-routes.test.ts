import { describe, expect, it } from 'vitest';
import { ANNA, browserAt, signInAt, signUpAt } from '../../support/browser.ts';
import { contentsOf } from '../../support/database.ts';
import { startSmtp } from '../../support/smtp-server.ts';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

const NEW = 'quite another password';
const SENT = 'If an account has this address';

/** Decodes the soft line breaks and `=3D` of quoted-printable (RFC 2045 section 6.7). */
const plain = (raw: string): string => raw.replace(/=\r?\n/g, '').replaceAll('=3D', '=');

/** Longer than the pause after the first try to send a mail, in milliseconds. */
const AFTER_PAUSE_MS = 6 * 60_000;

/** A store that sends mail, and the path of the link in the newest mail. */
async function opened() {
  const { received, url } = await startSmtp();
  const store = await openTestStore({
    environment: { SVC_SMTP_URL: url, SVC_MAIL_FROM: 'store@store.test' },
  });
  /** @param page the page that the link opens */
  const newestLink = async (page = '/confirm') => {
    const before = received.length;
    await store.sendDueMails();
    // On a busy machine the mail server can respond after the timeout: the store then postpones the mail.
    for (let tries = 0; received.length === before && tries < 3; tries += 1) {
      store.advance(AFTER_PAUSE_MS);
      await store.sendDueMails();
    }
    // The store also sends queued mails in the background, and may be doing so now.
    await expect.poll(() => received.length).toBeGreaterThan(0);
    const links = received.map(
      ({ raw }) => /https:\/\/store\.test(\/\S+\?key=\S+)/.exec(plain(raw))?.[1] ?? '',
    );
    const link = links.findLast((one) => one.startsWith(page)) ?? '';
    return { path: link, key: new URLSearchParams(link.split('?')[1]).get('key') ?? '' };
  };
  const requestReset = async (email: string) => {
    const browser = browserAt(store);
    await browser.open('/forgotten');
    return browser.submit('/forgotten', { email });
  };
  return { store, received, newestLink, requestReset };
}

describe('requesting a password reset', () => {
  it('sends a mail with a link that sets a new password', async () => {
    const { store, newestLink, requestReset } = await opened();
    await signUpAt(store);
    expect(await (await requestReset(ANNA.email.toUpperCase())).text()).toContain(SENT);
    const { path, key } = await newestLink('/reset');
    const browser = browserAt(store);
    expect((await browser.open(path)).status).toBe(200);
    expect((await browser.submit('/reset', { key, password: NEW })).status).toBe(303);
    expect((await signInAt(store, { ...ANNA, password: NEW })).answer.status).toBe(303);
  });

  it('shows the same page for an unknown address, and sends no mail', async () => {
    const { store, received, requestReset } = await opened();
    await signUpAt(store);
    await store.sendDueMails();
    const before = received.length;
    const [theirs, unknown] = [await requestReset(ANNA.email), await requestReset('nobody@example.com')];
    expect(await unknown.text()).toBe(await theirs.text());
    await store.sendDueMails();
    expect(received.slice(before).map(({ to }) => to)).toEqual([[ANNA.email]]);
  });

  it('sends no mail to a suspended user, and refuses a sixth request within an hour', async () => {
    const { store, received, newestLink, requestReset } = await opened();
    await signUpAt(store);
    const anna = await store.stores.people.findByEmail(ANNA.email);
    const suspend = (suspended: boolean) => store.stores.people.change(anna?.id ?? '', { suspended });
    await suspend(true);
    for (let n = 0; n < 5; n += 1) expect((await requestReset(ANNA.email)).status).toBe(200);
    expect((await requestReset(ANNA.email)).status).toBe(429);
    await store.sendDueMails();
    expect(received).toEqual([]);
    // The same request sends one mail after the suspension: the earlier ones queued none.
    await suspend(false);
    store.advance(3_600_001);
    expect((await requestReset(ANNA.email)).status).toBe(200);
    expect((await newestLink('/reset')).path).toContain('/reset?key=');
    expect(received.map(({ to }) => to)).toEqual([[ANNA.email]]);
  });

  it('is not possible without a mail server: the link would be written to the log', async () => {
    const store = await openTestStore();
    expect((await store.call('GET', '/forgotten')).status).toBe(404);
    expect(await (await store.call('GET', '/sign-in')).text()).not.toContain('/forgotten');
  });
});

describe('an email address', () => {
  it('is confirmed with a button on the page of the link that a sign-up mails, not by opening the page', async () => {
    const { store, newestLink } = await opened();
    const anna = await signUpAt(store);
    const { path: first } = await newestLink();
    expect(first).toMatch(/^\/confirm\?key=/);
    const asked = await bodyOf(anna.script('POST', '/api/people/me/email/confirmation'));
    expect(asked).toEqual({ httpStatus: 200, sentTo: ANNA.email });
    const { path, key } = await newestLink();
    const page = await (await anna.open(path)).text();
    for (const said of ['Anna Ash', ANNA.email, 'created on 2026-03-01']) expect(page).toContain(said);
    expect(await bodyOf(anna.send('GET', '/api/people/me'))).toMatchObject({ emailVerified: false });
    expect((await anna.submit('/confirm', { key })).status).toBe(200);
    await anna.open('/api/people/me');
    expect(await bodyOf(anna.send('GET', '/api/people/me'))).toMatchObject({ emailVerified: true });
    expect(await bodyOf(anna.script('POST', '/api/people/me/email/confirmation'))).toMatchObject({
      httpStatus: 409,
      code: 'already_handled',
    });
  });

  it('is not confirmed for an attacker who signed up with it, when the victim opens the mail', async () => {
    const { store, received, newestLink } = await opened();
    const attacker = await signUpAt(store, { ...ANNA, name: 'Free Gift' });
    await attacker.script('POST', '/api/people/me/email/confirmation');
    const { path, key } = await newestLink();
    expect(plain(received.at(-1)?.raw ?? '')).toContain('"Free Gift"');
    const visitor = browserAt(store);
    const asked = await visitor.open(path);
    expect([asked.status, asked.headers.get('location')]).toEqual([
      303,
      `/sign-in?next=${encodeURIComponent(path)}`,
    ]);
    const victim = await signUpAt(store, { ...ANNA, name: 'Anna Ash', email: 'anna@elsewhere.example' });
    const shown = await victim.open(path);
    expect([shown.status, await shown.text()]).toEqual([403, expect.stringContaining('Free Gift')]);
    expect((await victim.submit('/confirm', { key })).status).toBe(403);
    expect((await store.stores.people.findByEmail(ANNA.email))?.emailVerified).toBe(false);
  });

  it('is not confirmed by a link that is a day old, was changed, or is for another address', async () => {
    const { store, newestLink } = await opened();
    const browser = await signUpAt(store);
    await browser.script('POST', '/api/people/me/email/confirmation');
    const { path, key } = await newestLink();
    const [id = '', until = '', seal = ''] = key.split('.');
    const later = `${id}.${Number(until) + 1}.${seal}`;
    const other = `${Buffer.from('somebody').toString('base64url')}.${until}.${seal}`;
    for (const forged of [later, other, `${key}A`, '', '..']) {
      expect((await browser.open(`/confirm?key=${forged}`)).status).toBe(404);
      expect((await browser.submit('/confirm', { key: forged })).status).toBe(404);
    }
    const anna = await store.stores.people.findByEmail(ANNA.email);
    await store.stores.people.change(anna?.id ?? '', { email: 'other@example.com' });
    expect((await browser.open(path)).status).toBe(404);
    await store.stores.people.change(anna?.id ?? '', { email: ANNA.email });
    expect((await browser.open(path)).status).toBe(200);
    store.advance(24 * 3_600_000);
    expect((await browser.open(path)).status).toBe(404);
  });

  it('has no key of its confirmation link in the database or the log', async () => {
    const { store, newestLink } = await opened();
    const browser = await signUpAt(store);
    await browser.script('POST', '/api/people/me/email/confirmation');
    const contents = await contentsOf(store.folder);
    const { key } = await newestLink();
    expect(key.length).toBeGreaterThan(60);
    expect(contents).not.toContain(key.split('.')[2]);
    expect(store.lines.join()).not.toContain(key);
  });
});
