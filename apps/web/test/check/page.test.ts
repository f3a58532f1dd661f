import { packBundle } from '@svc/bundle';
import { LIMITS } from '@svc/contracts';
import { DEEP, SCHEMES, sampleBundle, sampleFiles } from '@svc/testkit';
import { exampleEntries, RULES, validateBundle } from '@svc/validator';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeContexts, NEEDS_BROWSER, openPage, shareBrowser } from '../support/real-browser.ts';
import { openRealStore } from '../support/real-store.ts';

const file = (name: string, content: Uint8Array | string) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(content),
});

/** Gives files to the page. @returns the codes that it shows for each file, in order */
async function codesFor(page: Page, files: ReturnType<typeof file>[]): Promise<string[][]> {
  await page.setInputFiles('input[type=file]', files);
  await page.waitForFunction(
    (names) =>
      document.querySelector('[aria-busy=false]') !== null &&
      JSON.stringify([...document.querySelectorAll('.report h2')].map((h) => h.textContent)) === names,
    JSON.stringify(files.map(({ name }) => name)),
  );
  return page.$$eval('.report', (reports) =>
    reports.map((report) =>
      [...report.querySelectorAll('.findings .cluster > a')].map((a) => a.textContent ?? ''),
    ),
  );
}

describe('the page that checks apps, in a real browser', NEEDS_BROWSER, () => {
  let browser: Browser;
  let store: Awaited<ReturnType<typeof openRealStore>>;

  beforeAll(async () => {
    [browser, store] = await Promise.all([shareBrowser(), openRealStore()]);
  });
  afterAll(async () => {
    await closeContexts(browser);
    await store?.close();
  });

  it('accepts a valid bundle, and shows its files', async () => {
    const { page, incidents } = await openPage(browser, `${store.url}/check`);
    expect(await codesFor(page, [file('notes.svc-app', sampleBundle())])).toEqual([[]]);
    expect(await page.textContent('.sum')).toBe('No problems found');
    expect(await page.getByRole('link', { name: 'Publish it' }).getAttribute('href')).toBe(
      '/account/publishers',
    );
    await page.getByLabel('For a local folder').check();
    await page.getByRole('link', { name: 'Publish it' }).waitFor({ state: 'detached' });
    await page.click('summary');
    expect(await page.textContent('.files')).toContain('plugin.json');
    expect(incidents).toEqual([]);
  });

  const samples = RULES.flatMap(({ code, example }) => {
    if ('size' in example.broken || example.mode === 'dev') return [];
    const entries = exampleEntries(example.broken);
    const bytes = packBundle(entries);
    const { issues } = validateBundle(entries, { mode: 'store', size: bytes.length });
    return [{ upload: file(`${code}.svc-app`, bytes), codes: issues.map((issue) => issue.code) }];
  });

  async function findsAll(some: typeof samples) {
    const { page, incidents } = await openPage(browser, `${store.url}/check`);
    for (let at = 0; at < some.length; at += 20) {
      const batch = some.slice(at, at + 20);
      const uploads = batch.map(({ upload }) => upload);
      expect(await codesFor(page, uploads)).toEqual(batch.map(({ codes }) => codes));
    }
    expect(incidents).toEqual([]);
  }

  it('reports the same codes as the store for twenty broken examples', DEEP, () => {
    const every = Math.floor(samples.length / 20);
    return findsAll(samples.filter((_, n) => n % every === 0).slice(0, 20));
  });

  it('reports the same codes as the store for every broken example', DEEP, async () => {
    expect(samples.length).toBeGreaterThan(120);
    await findsAll(samples);
  });

  it('marks the location in plugin.json, and checks again for a local folder', async () => {
    const { page } = await openPage(browser, `${store.url}/check`);
    const remote = { mcpUrl: 'http://localhost:3000/mcp', domains: [] };
    expect(await codesFor(page, [file('dev.svc-app', sampleBundle({ remote }))])).toEqual([['remote.url']]);
    expect(await page.textContent('mark')).toBe('"http://localhost:3000/mcp"');
    await page.click('text=For a local folder');
    await page.waitForSelector('text=remote.localhost');
    expect(await page.textContent('.sum')).toBe('0 errors, 1 warning');
  });

  /** Files as a drag or the clipboard carries them. */
  const carried = (page: Page, name: string, content: Uint8Array) =>
    page.evaluateHandle(
      ([called, bytes]) => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(bytes)], called));
        return data;
      },
      [name, [...content]] as const,
    );

  it('accepts dropped files, and highlights the drop area', async () => {
    const { page } = await openPage(browser, `${store.url}/check`);
    const dataTransfer = await carried(page, 'dropped.svc-app', sampleBundle({ version: 'one' }));
    await page.dispatchEvent('.file-drop', 'dragover', { dataTransfer });
    await page.waitForSelector('.file-drop.over');
    await page.dispatchEvent('.file-drop', 'dragleave', { dataTransfer });
    await page.waitForSelector('.file-drop:not(.over)');
    await page.dispatchEvent('.file-drop', 'drop', { dataTransfer });
    await page.waitForSelector('text=version.format');
    await page.getByRole('heading', { name: 'dropped.svc-app' }).waitFor();
  });

  it('accepts a pasted file', async () => {
    const { page } = await openPage(browser, `${store.url}/check`);
    const data = await carried(page, 'pasted.svc-app', sampleBundle());
    await page.evaluate(
      (clipboardData) =>
        document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true })),
      data,
    );
    await page.getByRole('heading', { name: 'pasted.svc-app' }).waitFor();
  });

  it('refuses a file of another type, and names the accepted types', DEEP, async () => {
    const { page, incidents } = await openPage(browser, `${store.url}/check`);
    const dataTransfer = await carried(page, 'lake.png', new Uint8Array([1]));
    await page.dispatchEvent('.file-drop', 'drop', { dataTransfer });
    const refusal = page.getByRole('alert');
    expect(await refusal.textContent()).toBe(
      'lake.png is of another type. Choose a file that ends in .svc-app, .zip, .json.',
    );
    await codesFor(page, [file('notes.svc-app', sampleBundle())]);
    expect(await refusal.count()).toBe(0);
    expect(incidents).toEqual([]);
  });

  it('opens the dialog for files by keyboard', DEEP, async () => {
    const { page } = await openPage(browser, `${store.url}/check`);
    const field = page.getByLabel('Drop a bundle or a plugin.json here');
    await field.focus();
    const chooser = page.waitForEvent('filechooser');
    await page.keyboard.press('Enter');
    await (await chooser).setFiles([file('notes.svc-app', sampleBundle())]);
    await page.getByText('No problems found').waitFor();
  });

  it('reports a file that is too large, and one that is not a zip', DEEP, async () => {
    const { page } = await openPage(browser, `${store.url}/check`);
    const codes = await codesFor(page, [
      file('large.svc-app', new Uint8Array(LIMITS.bundle.bytes + 1)),
      file('text.svc-app', 'just text'),
    ]);
    expect(codes.flat()).toEqual([]);
    expect(
      await page.$$eval('.findings .cluster code:first-of-type', (all) => all.map((one) => one.textContent)),
    ).toContain('invalid_bundle');
  });

  it('runs no code from a bundle, and sends nothing', async () => {
    const { page, incidents, requests } = await openPage(browser, `${store.url}/check`);
    const loaded = requests.length;
    const evil = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
    const files = sampleFiles(evil, { [`ui/${evil.replaceAll('/', '')}.html`]: evil });
    files.set(
      'plugin.json',
      new TextEncoder().encode(JSON.stringify({ id: evil, name: evil, version: evil })),
    );
    await codesFor(page, [file(`${evil.replaceAll('/', '')}.svc-app`, packBundle(files))]);
    await page.click('summary');
    expect(incidents).toEqual([]);
    expect(requests.slice(loaded).filter((url) => !url.startsWith(`${store.url}/assets/`))).toEqual([]);
    // Even if code did run, the policy allows it no requests.
    expect(
      await page.evaluate(() =>
        fetch('/api/apps/catalog').then(
          () => 'sent',
          () => 'refused',
        ),
      ),
    ).toBe('refused');
    expect(incidents.join()).toContain('Content Security Policy');
  });

  for (const [colorScheme, options] of SCHEMES)
    it(`has no serious axe violations, in ${colorScheme}`, options, async () => {
      const { page } = await openPage(browser, `${store.url}/check`, {
        colorScheme,
        bypassCSP: true,
        viewport: { width: 390, height: 800 },
      });
      await codesFor(page, [file('notes.svc-app', sampleBundle({ version: 'one', categories: undefined }))]);
      await page.addScriptTag({ content: axe.source });
      const violations = await page.evaluate(async () => {
        const { axe } = window as unknown as {
          axe: { run(): Promise<{ violations: { id: string; impact: string }[] }> };
        };
        return (await axe.run()).violations.map(({ id, impact }) => `${impact}: ${id}`);
      });
      expect(violations.filter((line) => /^(serious|critical)/.test(line))).toEqual([]);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(wide).toBeLessThanOrEqual(0);
    });
});
