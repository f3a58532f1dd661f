import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClientMetadata } from '@svc/contracts';
import { png } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTestStore } from '../../../support/test-store.ts';

/** A name that would run a script on a page that does not escape it. */
const NAME = '"><script>R&D</script>';
const SHOWN = '&quot;&gt;&lt;script&gt;R&amp;D&lt;/script&gt;';

async function branded() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-logo-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'logo.png');
  await writeFile(file, png(128, 128));
  return openTestStore({ environment: { SVC_STORE_NAME: NAME, SVC_STORE_LOGO: file } });
}

describe('a store with a name and a logo', () => {
  it.each(['/sign-in', '/sign-up', '/policy', '/nowhere', '/password/forgotten'])(
    'shows both at %s',
    async (path) => {
      const store = await branded();
      const page = await (await store.call('GET', path, { headers: { accept: 'text/html' } })).text();
      expect(page).toMatch(/<link rel="icon" type="image\/png" href="\/assets\/logo-[0-9a-f]{12}\.png">/);
      expect(page).toMatch(/<a class="brand"[^>]*><img src="\/assets\/logo-[0-9a-f]{12}\.png"/);
      expect(page).toContain(`<bdi>${SHOWN}</bdi>`);
      expect(page).toContain(`${SHOWN}</title>`);
      expect(page).not.toContain('<script>R');
      expect(page).not.toContain('svc app store');
    },
  );

  it('has its name in its OAuth client metadata, and serves its logo', async () => {
    const store = await branded();
    const document = await (await store.call('GET', '/apps/oauth/client.json')).json();
    const { client_name, logo_uri } = ClientMetadata.parse(document);
    expect(client_name).toBe(NAME);
    const logo = await store.call('GET', new URL(logo_uri).pathname);
    expect([logo.status, logo.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(logo.headers.get('x-content-type-options')).toBe('nosniff');
    expect(new Uint8Array(await logo.arrayBuffer())).toEqual(new Uint8Array(png(128, 128)));
  });

  it('has its accent on every page, as a file of its own address', async () => {
    const store = await openTestStore({ environment: { SVC_STORE_ACCENT: '#0b57b0' } });
    for (const path of ['/sign-in', '/policy']) {
      const [, sheet = ''] =
        /href="(\/assets\/accent-[0-9a-f]{12}\.css)"/.exec(await (await store.call('GET', path)).text()) ??
        [];
      const css = await store.call('GET', sheet);
      expect([css.status, css.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
      expect(await css.text()).toContain('--accent:#0b57b0');
    }
  });
});
