import { DEEP } from '@svc/testkit';
import axe from 'axe-core';
import type { Frame } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { NEEDS_BROWSER } from '../../../../apps/web/test/support/real-browser.ts';
import { appFolder, openInBrowser } from '../support/panel-client.ts';
import { picture } from '../support/pictures.ts';
import { startPinboard } from '../support/pinboard.ts';

const cards = (frame: Frame): Promise<string[]> => frame.locator('#pins li > p').allTextContents();

/** Expected console messages: an unknown directive of the policy, and the request that the policy blocks. */
const isOfPolicy = (text: string): boolean =>
  text.includes('Unrecognized Content-Security-Policy directive') ||
  text === 'Failed to load resource: net::ERR_NETWORK_ACCESS_REVOKED';

/** Drops a file on the page, like a browser. */
const drop = (frame: Frame, name: string, type: string, bytes: Buffer): Promise<unknown> =>
  frame.evaluate(`(() => {
    const bytes = Uint8Array.from(atob(${JSON.stringify(bytes.toString('base64'))}), (c) => c.charCodeAt(0));
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([bytes], ${JSON.stringify(name)}, { type: ${JSON.stringify(type)} }));
    for (const kind of ['dragover', 'drop']) {
      document.body.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
    }
  })()`);

/** Polls for a result that needs a request, or a thread that resizes a picture. */
const soon = <T>(look: () => Promise<T> | T) => expect.poll(look);

describe('the board, in a real browser', NEEDS_BROWSER, () => {
  it('connects, pins notes and pictures, shows them by view and theme, and shows errors', DEEP, async () => {
    const pinboard = await startPinboard();
    const client = await openInBrowser(await appFolder(pinboard));
    const { runtime, app, picked, cards: asked, page, incidents } = client;
    const { panel, frame } = await client.show('board', 'dark');

    await frame.click('#connect');
    await frame.waitForSelector('#empty', { state: 'visible' });
    expect(asked.map(({ kind }) => kind)).toEqual(['connect']);
    expect(await frame.evaluate('getComputedStyle(document.body).colorScheme')).toBe('dark');

    // A note is shown as text, never as HTML.
    const hostile = '<img src=x onerror="parent.ran = 1"><script>parent.ran = 1</script>';
    await frame.fill('#text', hostile);
    await frame.press('#text', 'Enter');
    await soon(() => cards(frame)).toEqual([hostile]);
    expect(await frame.locator('#pins img, #pins script').count()).toBe(0);

    // The client resizes picked files; dropped files come from the browser.
    picked.push({ name: 'a.png', type: 'image/png', bytes: await picture({ width: 3200, height: 800 }, 'png') });
    await frame.click('#pick');
    await soon(() => frame.locator('#pins img').count()).toBe(1);
    await drop(frame, 'b.jpg', 'image/jpeg', await picture());
    await soon(() => frame.locator('#pins img').count()).toBe(2);
    const widths = 'Promise.all([...document.images].map((i) => i.decode().then(() => i.naturalWidth)))';
    await soon(() => frame.evaluate(widths).catch(() => null)).toEqual([400, 1600]);
    await drop(frame, 'c.txt', 'text/plain', Buffer.from('x'));
    await soon(() => frame.textContent('#status')).toBe('Only pictures can be dropped here.');
    await drop(frame, 'd.svg', 'image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'));
    await soon(() => frame.textContent('#problem span')).toContain('Only pictures are pinned');

    panel.change({ view: 'notes' });
    await soon(() => frame.locator('#pins li').count()).toBe(1);
    panel.change({ view: 'pictures', theme: 'light' });
    await soon(() => frame.locator('#pins li').count()).toBe(2);
    expect(await frame.evaluate('getComputedStyle(document.body).colorScheme')).toBe('light');
    expect(await frame.isVisible('#problem')).toBe(false);

    await frame.locator('.remove').first().click();
    expect(await frame.locator('#pins li').count()).toBe(2);
    await frame.locator('.remove').first().click();
    await soon(() => frame.locator('#pins li').count()).toBe(1);

    // Accessibility check. The policy allows a test to run a script that the page could not.
    for (const theme of ['light', 'dark'] as const) {
      panel.change({ theme });
      await soon(() => frame.evaluate('document.documentElement.style.colorScheme')).toBe(theme);
      await frame.evaluate(axe.source);
      const found = (await frame.evaluate('axe.run(document)')) as { violations: { id: string }[] };
      expect(found.violations.map(({ id }) => id)).toEqual([]);
    }

    // No token is stored, and no pinned script has run.
    expect(await frame.evaluate('document.documentElement.outerHTML')).not.toMatch(/bearer|token/i);
    expect(await page.evaluate('globalThis.ran')).toBeUndefined();
    expect(incidents.filter((text) => !isOfPolicy(text) && !text.includes('415'))).toEqual([]);

    // The panel is notified when the account is disconnected in the client, and shows that the server is unavailable.
    expect(await runtime.accounts.disconnect(app, 'pinboard')).toEqual({ revoked: true });
    await frame.waitForSelector('#welcome', { state: 'visible' });
    await frame.click('#connect');
    await frame.waitForSelector('#board', { state: 'visible' });
    await pinboard.close();
    await frame.fill('#text', 'Nobody is there.');
    await frame.press('#text', 'Enter');
    await soon(() => frame.textContent('#problem span')).toContain('cannot be reached');
  });
});
