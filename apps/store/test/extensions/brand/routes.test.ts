import { ClientMetadata } from '@svc/contracts';
import { png } from '@svc/testkit';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { browserAt } from '../../support/browser.ts';
import { has } from '../../support/extensions.ts';
import { openPublisherStore } from '../../support/people.ts';
import { bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';

const SVG = 'http://www.w3.org/2000/svg';
const encoded = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url');

/** The browser of an administrator, on the page. */
async function administratorOf(store: TestStore) {
  const { cookie } = await store.signedIn('ada', { role: 'administrator' });
  const browser = browserAt(store);
  browser.cookies.set('__Host-svc-session', cookie.split('=')[1] as string);
  await browser.open('/setup/brand');
  return browser;
}

async function opened(environment: Record<string, string> = {}) {
  const store = await openTestStore({ environment });
  return { store, browser: await administratorOf(store) };
}

const front = async (store: Pick<TestStore, 'call'>): Promise<string> =>
  (await store.call('GET', '/policy', { headers: { accept: 'text/html' } })).text();

const logoIn = (page: string): string => /class="brand"[^>]*><img src="([^"]+)"/.exec(page)?.[1] ?? '';

/** Pages that a store caches. */
const CACHED = [...(has('storefront') ? ['/'] : []), ...(has('docs') ? ['/docs/codes'] : [])];

describe('the name, the logo and the accent that an administrator chooses', () => {
  it('are in the header, the title, the client metadata and the documentation from then on', async () => {
    const { store, browser } = await opened();
    // Pages that were cached before.
    for (const path of [...CACHED, '/check']) await store.call('GET', path);
    const saved = await browser.submit('/setup/brand', {
      name: ' R&D <b>Apps ',
      accent: '#0B57B0',
      logo: encoded(png(128, 96)),
    });
    expect([saved.status, saved.headers.get('location')]).toEqual([303, '/admin/settings']);
    for (const path of [...CACHED, '/sign-in']) {
      const page = await (await store.call('GET', path)).text();
      expect(page).toContain('R&amp;D &lt;b&gt;Apps</title>');
      expect(page).toMatch(/<a class="brand"[^>]*><img src="\/assets\/logo-[0-9a-f]{12}\.png"/);
      expect(page).toMatch(/href="\/assets\/accent-[0-9a-f]{12}\.css"/);
    }
    const { client_name, logo_uri } = ClientMetadata.parse(
      await bodyOf(store.call('GET', '/apps/oauth/client.json')),
    );
    expect(client_name).toBe('R&D <b>Apps');
    const logo = await store.call('GET', new URL(logo_uri).pathname);
    expect(Object.fromEntries(logo.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    const { width, height } = await sharp(Buffer.from(await logo.arrayBuffer())).metadata();
    expect([width, height]).toEqual([320, 320]);
    const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit?action=brand.change'));
    expect(entries).toMatchObject([{ detail: { name: 'R&D <b>Apps', accent: '#0b57b0' } }]);
  });

  it('sign the mails that are sent from then on', async () => {
    const store = await openPublisherStore();
    const browser = await administratorOf(store);
    await browser.submit('/setup/brand', { name: 'Acme Apps' });
    await store.as('anna', 'POST', '/invitations', { email: 'dora@example.com', role: 'member' });
    await store.sendDueMails();
    const line = store.lines.find((text) => text.includes('dora@example.com')) ?? '{}';
    expect(JSON.parse(line).text).toContain('-- \nAcme Apps\n');
  });

  it('return to those of svc when they are removed', async () => {
    const { store, browser } = await opened();
    await browser.submit('/setup/brand', { name: 'Acme', accent: '#0b57b0', logo: encoded(png(64, 64)) });
    const before = logoIn(await front(store));
    expect(await (await browser.open('/setup/brand')).text()).toContain('name="removeLogo"');
    await browser.submit('/setup/brand', { name: '', accent: ' ', removeLogo: 'on' });
    const page = await front(store);
    expect(page).toContain('<bdi>svc app store</bdi>');
    expect(logoIn(page)).toMatch(/^\/assets\/icon-/);
    expect(page).not.toContain('/assets/accent-');
    // Pages in caches name it for some time.
    expect((await store.call('GET', before)).status).toBe(200);
  });

  it('are those of another process at once, where its page names a logo that this one does not know', async () => {
    const { store, browser } = await opened();
    const other = await openTestStore({ folder: store.folder });
    await browser.submit('/setup/brand', { name: 'Acme', logo: encoded(png(64, 64)) });
    const page = await front(store);
    expect(await front(other)).toContain('<bdi>svc app store</bdi>');
    const bytes = async (from: TestStore) => (await from.call('GET', logoIn(page))).arrayBuffer();
    expect(await bytes(other)).toEqual(await bytes(store));
    expect(await front(other)).toContain('<bdi>Acme</bdi>');
    const next = await openTestStore({ folder: store.folder });
    expect(logoIn(await front(next))).toBe(logoIn(page));
  });

  it('do not replace those of the settings, which the page shows with the reason', async () => {
    const { store, browser } = await opened({ SVC_STORE_NAME: 'Given', SVC_STORE_ACCENT: '#0b57b0' });
    const page = await (await browser.open('/setup/brand')).text();
    expect(page).toContain('Set by <code>SVC_STORE_NAME</code>');
    expect(page).toContain('Set by <code>SVC_STORE_ACCENT</code>');
    expect(page).not.toMatch(/name="(?:name|accent)"/);
    await browser.submit('/setup/brand', { name: 'Other', accent: '#123456', logo: encoded(png(64, 64)) });
    const shown = await front(store);
    expect(shown).toContain('<bdi>Given</bdi>');
    expect(logoIn(shown)).toMatch(/^\/assets\/logo-/);
    expect(await store.stores.chosenBrand.chosen()).toMatchObject({ name: null, accent: null });
  });
});

describe('a hostile logo', () => {
  it('that is an SVG is kept as a picture', async () => {
    const { store, browser } = await opened();
    const svg = `<svg xmlns="${SVG}" viewBox="0 0 24 24"><circle cx="12" cy="12" r="9" fill="#0b57b0"/></svg>`;
    await browser.submit('/setup/brand', { logo: encoded(svg) });
    const logo = await store.call('GET', logoIn(await front(store)));
    expect(logo.headers.get('content-type')).toBe('image/png');
    const { data } = await sharp(Buffer.from(await logo.arrayBuffer()))
      .raw()
      .toBuffer({ resolveWithObject: true });
    const middle = (160 * 320 + 160) * 4;
    expect([...data.subarray(middle, middle + 4)]).toEqual([0x0b, 0x57, 0xb0, 255]);
  });

  /** A PNG of which the header declares more pixels than a picture may have. */
  const bomb = () => {
    const bytes = Buffer.from(png(64, 64));
    bytes.writeUInt32BE(100_000, 16);
    bytes.writeUInt32BE(100_000, 20);
    return bytes;
  };
  const filter = '<feTurbulence numOctaves="99"/>'.repeat(40);

  it.each([
    [
      'a script',
      `<svg xmlns="${SVG}"><script>alert(1)</script></svg>`,
      /must only draw, but line 1 has the element/,
    ],
    ['an event', `<svg xmlns="${SVG}" onload="alert(1)"/>`, /must only draw/],
    [
      'a picture of another server',
      `<svg xmlns="${SVG}"><image href="https://x.example/"/></svg>`,
      /must only/,
    ],
    ['an entity', `<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="${SVG}">&a;</svg>`, /The logo /],
    ['a filter that takes long', `<svg xmlns="${SVG}"><filter id="a">${filter}</filter></svg>`, /The logo /],
    ['an HTML page', '<!doctype html><script>alert(1)</script>', /and the file is an HTML page/],
    ['a bomb', bomb(), /begins like a PNG, but/],
    ['a truncated picture', png(256, 256).subarray(0, 40), /begins like a PNG, but/],
    ['a small one', png(32, 64), /has 32 by 64/],
    ['one of more than 256 KiB', Buffer.alloc(256 * 1024 + 1), /must have at most 256 KiB/],
  ])('with %s is refused, and nothing changes', async (_what, bytes, why) => {
    const { store, browser } = await opened();
    const answer = await browser.submit('/setup/brand', { name: 'Acme', logo: encoded(bytes) });
    expect(answer.status).toBe(400);
    const page = await answer.text();
    expect(/role="alert">([^<]+)/.exec(page)?.[1]).toMatch(why);
    expect(page).toContain('value="Acme"');
    expect(await front(store)).toContain('<bdi>svc app store</bdi>');
  });

  it('of 20 MB is refused before it is read', async () => {
    const { browser } = await opened();
    const answer = await browser.submit('/setup/brand', { logo: 'A'.repeat(20_000_000) });
    expect(answer.status).toBe(413);
  });
});

it('refuses a name with hidden characters and an accent that cannot be read, and shows the form again', async () => {
  const { browser } = await opened();
  for (const [fields, why] of [
    [{ name: 'Acme\u202Eerots' }, 'The name must be one line without'],
    [{ name: 'a'.repeat(41) }, 'The name must have 1 to 40 characters.'],
    [{ accent: 'red;}body{display:none' }, 'The accent must be a colour such as #0b57b0.'],
    [{ accent: '#f2c063' }, 'The accent must have a contrast of at least 4.5'],
  ] as const) {
    const answer = await browser.submit('/setup/brand', fields);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(why)]);
  }
});

it('keeps the logo of a form that is refused for another field, and none that is refused itself', async () => {
  const { browser } = await opened();
  const logo = encoded(png(64, 64));
  const refused = async (fields: Record<string, string>) =>
    (await browser.submit('/setup/brand', { accent: '#ffff00', ...fields })).text();
  expect(await refused({ logo })).toContain(`name="logo" value="${logo}"`);
  expect(await refused({ logo: encoded(png(32, 32)) })).toContain('name="logo" value=""');
});

it('has a page that runs only the scripts of the store, and loads no pictures from elsewhere', async () => {
  const { browser } = await opened();
  const policy = (await browser.open('/setup/brand')).headers.get('content-security-policy') ?? '';
  expect(policy.split('; ')).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      "script-src 'self'",
      "img-src 'self'",
      "form-action 'self'",
    ]),
  );
});

describe('the brand that a tool sends again and again', () => {
  const put = (store: TestStore, json: object) => bodyOf(store.admin('PUT', '/api/admin/brand', json));
  const written = async (store: TestStore) =>
    (await bodyOf(store.admin('GET', '/api/admin/audit?action=brand.change'))).entries.length;

  it('changes once, by what differs, and goes back to the default with null', async () => {
    const store = await openTestStore();
    const logo = Buffer.from(png(128, 128)).toString('base64');
    const first = await put(store, { name: ' Corp apps', accent: '#0B57B0', logo });
    expect(first).toMatchObject({ httpStatus: 200, name: 'Corp apps', accent: '#0b57b0' });
    expect(first.logoSha256).toMatch(/^[0-9a-f]{64}$/);
    expect(await put(store, { name: 'Corp apps', accent: '#0b57b0', logo })).toEqual(first);
    expect(await put(store, {})).toEqual(first);
    expect(await written(store)).toBe(1);
    expect(await front(store)).toContain('Corp apps</title>');
    expect(await put(store, { logo: null, accent: null })).toMatchObject({
      ...{ name: 'Corp apps', accent: null, logoSha256: null },
    });
    expect(await put(store, { logo: null, accent: null })).toMatchObject({ name: 'Corp apps' });
    expect(await written(store)).toBe(2);
  });

  it('is refused where it is not valid, and where a setting fixes it', async () => {
    const store = await openTestStore({ environment: { SVC_STORE_NAME: 'Fixed' } });
    expect(await put(store, { name: 'Other' })).toMatchObject({ issues: [{ path: '/name' }] });
    for (const wrong of [{ accent: '#fff000' }, { logo: 'AAAA' }, { logo: '<svg>' }, { colour: '#000000' }])
      expect(await put(store, wrong)).toMatchObject({ code: 'invalid_request' });
    expect(await written(store)).toBe(0);
  });
});
