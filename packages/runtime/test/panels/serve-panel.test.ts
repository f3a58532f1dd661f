import { describe, expect, it } from 'vitest';
import { panelApp } from '../support/panel-app.ts';
import { openFor, testPanels } from '../support/panels.ts';

async function open() {
  const test = testPanels();
  const { panel } = await openFor(test);
  const { origin: frameOrigin, pathname } = new URL(panel.frame.address);
  const folder = `${frameOrigin.replace('frame-', '')}${pathname.replace(/frame$/, '')}`;
  const get = (url: string, init: RequestInit = {}) => test.panels.serve(new Request(url, init));
  return { ...test, panel, folder, frameOrigin, get };
}

describe('the served content of a panel', () => {
  it('has the files under ui and assets, with their content types', async () => {
    const { get, folder } = await open();
    const script = get(`${folder}ui/a%20b.js`);
    expect(await script.text()).toBe('1');
    expect(Object.fromEntries(script.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    expect(script.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(get(`${folder}assets/icon.svg`).headers.get('content-type')).toMatch(/svg/);
    expect(get(`${folder}assets/icon.svg`).headers.get('content-security-policy')).toContain('sandbox');
  });

  it.each([
    'plugin.json',
    'ui/',
    'ui',
    'ui/missing.js',
    'ui/../plugin.json',
    'ui/%2e%2e/plugin.json',
    'ui%2f..%2fplugin.json',
    'ui/..%5cplugin.json',
    'ui//index.html',
    'ui/index.html%00',
    'UI/index.html',
    'ui/index.html/',
    'ui/%ff',
    'ui/%E0%A4%A',
    '__proto__',
    'ui/__proto__',
    'files/none',
    'frame',
  ])('does not include %s', async (path) => {
    const { get, folder } = await open();
    expect(get(folder + path).status).toBe(404);
  });

  it('is available only with the secret, on the origin of the panel, while the panel is open', async () => {
    const { get, folder, frameOrigin, panel } = await open();
    const { origin, pathname } = new URL(folder);
    expect(pathname.length).toBeGreaterThanOrEqual(43);
    expect(get(`${folder}ui/index.html`).status).toBe(200);
    expect(get(`${origin}/ui/index.html`).status).toBe(404);
    expect(get(`${origin}/${'A'.repeat(43)}/ui/index.html`).status).toBe(404);
    expect(get(`${frameOrigin}${pathname}ui/index.html`).status).toBe(404);
    expect(get(`http://evil.test${pathname}ui/index.html`).status).toBe(404);
    expect(get(`http://127.0.0.1${pathname}ui/index.html`).status).toBe(404);
    await panel.close('gone');
    expect(get(`${folder}ui/index.html`).status).toBe(404);
    expect(get(panel.frame.address).status).toBe(404);
  });

  it('cannot be a service worker, a top-level page or a plugin, and is available only by GET and HEAD', async () => {
    const { get, folder } = await open();
    const page = `${folder}ui/index.html`;
    expect(get(page, { headers: { 'service-worker': 'script' } }).status).toBe(403);
    for (const destination of ['document', 'embed', 'object', 'serviceworker', 'sharedworker']) {
      expect(get(page, { headers: { 'sec-fetch-dest': destination } }).status).toBe(403);
    }
    expect(get(page, { headers: { 'sec-fetch-dest': 'iframe' } }).status).toBe(200);
    expect(get(page, { method: 'POST' }).status).toBe(405);
    expect(get(page, { method: 'HEAD' }).status).toBe(200);
  });

  it('is framed by a page without other content, which escapes the title of the panel', async () => {
    const { get, panel, folder } = await open();
    const page = get(panel.frame.address);
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain(`frame-src ${folder};`);
    expect(policy).toContain('frame-ancestors http://127.0.0.1:1');
    expect(policy).not.toContain('unsafe');
    const text = await page.text();
    expect(text).toContain('<title>Notes &#60;&#38;&#34;&#62;</title>');
    expect(text).not.toContain('Notes <');
  });

  it('has one origin for each app and version, and another secret each time', async () => {
    const { panels } = testPanels();
    const at = async (app = panelApp()) =>
      (await panels.open(app, 'main', { theme: 'dark', locale: 'en' })).frame;
    const [first, again] = [await at(), await at()];
    expect(again.origin).toBe(first.origin);
    expect(again.address).not.toBe(first.address);
    const others = [
      await at(panelApp({ version: '1.0.1' })),
      await at(panelApp({ id: 'com.example.other' })),
    ];
    const store = panelApp();
    if (store.source.kind === 'store')
      others.push(await at({ ...store, source: { ...store.source, store: 'https://b.test' } }));
    expect(new Set([first, ...others].map(({ origin }) => origin)).size).toBe(4);
  });

  it('includes a file that was handed over, with a content type that is not HTML', async () => {
    const test = testPanels();
    const page = await openFor(test);
    test.state.picked = [
      { name: 'evil.html', type: 'text/html', bytes: new TextEncoder().encode('<script src="ui/a.js">') },
      { name: 'a.png', type: 'image/png', bytes: new Uint8Array([1]) },
    ];
    const { result } = await page.ask('files/pick', { multiple: true });
    const [html, png] = (result as { files: { url: string }[] }).files;
    const served = test.panels.serve(new Request(html?.url ?? ''));
    expect(served.headers.get('content-type')).toBe('application/octet-stream');
    expect(served.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(test.panels.serve(new Request(png?.url ?? '')).headers.get('content-type')).toBe('image/png');
    const framed = new Request(html?.url ?? '', { headers: { 'sec-fetch-dest': 'iframe' } });
    expect(test.panels.serve(framed).status).toBe(404);
  });
});
