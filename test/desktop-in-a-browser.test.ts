import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEEP, sampleFiles, sampleManifest, TIMEOUT_MS } from '@svc/testkit';
import { servePage } from '@svc/testkit/http-server';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../apps/desktop/test/support/temp-folder.ts';
import { openPage, openTestDesktop } from '../apps/desktop/test/support/test-desktop.ts';
import { NEEDS_BROWSER, openBrowser } from '../apps/web/test/support/real-browser.ts';
import { openWith } from '../packages/runtime/src/browser/page-opener.ts';

type Browser = Awaited<ReturnType<typeof openBrowser>>;

/** A desktop whose page is a line of text. */
async function openDesktop() {
  const pageFolder = await tempFolder();
  await writeFile(path.join(pageFolder, 'index.html'), '<!doctype html><title>Desktop</title><p>Here</p>');
  return openTestDesktop({ pageFolder });
}

describe('the desktop in a real browser', NEEDS_BROWSER, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('refuses all requests from pages of other programs', DEEP, async () => {
    const desktop = await openDesktop();
    const { bearer } = await openPage(desktop);
    const own = `http://localhost:${desktop.port}`;
    const page = await browser.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    onTestFinished(() => page.close());
    await page.goto(await servePage('<!doctype html><title>Elsewhere</title>'));

    const tried = await page.evaluate(
      async ({ own, bearer }) => {
        const authorization = `Bearer ${bearer}`;
        const json = { 'content-type': 'application/json' };
        const tries: [string, RequestInit][] = [
          ['/api/client.show', { method: 'POST', headers: { ...json, authorization }, body: '{}' }],
          ['/api/client.show', { method: 'POST', body: '{}' }],
          ['/events', { headers: { authorization } }],
          ['/', {}],
        ];
        const read = ([at, init]: [string, RequestInit]) =>
          fetch(own + at, init).then(
            () => 'read',
            () => 'refused',
          );
        return Promise.all(tries.map(read));
      },
      { own, bearer },
    );
    expect(tried).toEqual(['refused', 'refused', 'refused', 'refused']);

    // A form can be submitted to any origin; it is refused without effect.
    const form = `<form method="post" enctype="text/plain" action="${own}/api/session.open"></form>`;
    const sent = await browser.newPage();
    sent.setDefaultTimeout(TIMEOUT_MS);
    onTestFinished(() => sent.close());
    const answered = sent.waitForResponse(`${own}/api/session.open`);
    const submitting = sent.goto(await servePage(`${form}<script>document.forms[0].submit()</script>`));
    expect((await answered).status()).toBe(403);
    await submitting.catch(() => undefined);

    const framed = page.waitForEvent('frameattached');
    await page.goto(await servePage(`<!doctype html><iframe src="${own}/"></iframe>`));
    await framed;
    const texts = await Promise.all(page.frames().map((frame) => frame.content()));
    expect(texts).toHaveLength(2);
    expect(texts.join()).not.toContain('Here');
  });

  it('opens by a private page, which leads to the one-time link and names no address', async () => {
    const desktop = await openDesktop();
    const folder = await tempFolder();
    const out = path.join(folder, 'out');
    const write = `require('node:fs').writeFileSync(${JSON.stringify(out)}, process.argv[1])`;
    const place = { platform: 'linux' as const, env: { PATH: process.env.PATH }, folder };
    const link = desktop.opened.newLink();
    expect(await openWith([process.execPath, '-e', write], link, place)).toBe(true);
    await expect.poll(() => readFile(out, 'utf8').catch(() => '')).toMatch(/^file:/);
    const address = await readFile(out, 'utf8');
    expect((await stat(fileURLToPath(address))).mode & 0o777).toBe(0o600);
    const page = await browser.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    onTestFinished(() => page.close());
    await page.goto(address);
    await page.waitForURL(link);
    expect(await page.evaluate('document.referrer')).toBe('');
    expect(await page.title()).toBe('Desktop');
  });

  it('allows only frames of panels', async () => {
    const app = await tempFolder();
    const manifest = sampleManifest({
      contributes: { panels: [{ id: 'main', title: 'Notes', component: 'webview' }] },
    });
    for (const [name, bytes] of sampleFiles(manifest, {
      'ui/index.html': '<!doctype html><p>The panel</p>',
    })) {
      await mkdir(path.dirname(path.join(app, name)), { recursive: true });
      await writeFile(path.join(app, name), bytes);
    }
    const desktop = await openDesktop();
    const session = await openPage(desktop);
    await session.call('folders.open', { folder: app });
    const shown = { project: 'project-1', theme: 'light', locale: 'en' } as const;
    const { body } = await session.call('panels.open', { appId: manifest.id, panelId: 'main', ...shown });

    const page = await browser.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    onTestFinished(() => page.close());
    const blocked: string[] = [];
    page.on('console', (message) => blocked.push(message.text()));
    await page.goto(`http://localhost:${desktop.port}/#key=used`);
    expect(await page.title()).toBe('Desktop');
    const frame = (src: string, sandbox: string) =>
      page.evaluate(`{
        const made = document.createElement('iframe');
        made.setAttribute('sandbox', ${JSON.stringify(sandbox)});
        made.src = ${JSON.stringify(src)};
        document.body.append(made);
      }`);
    await frame(body.frame.address, body.frame.sandbox);
    await expect.poll(() => page.frames().map((one) => one.url())).toContain(body.frame.address);
    expect(blocked.filter((text) => text.includes('Content Security Policy'))).toEqual([]);
    await frame(await servePage('<!doctype html><p>Elsewhere</p>'), '');
    await expect.poll(() => blocked.join('\n')).toContain('frame-src');
  });
});
