import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEEP } from '@svc/testkit';
import { describe, expect, onTestFinished } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest } from '../support/page-test.ts';
import { CHAT, message, text } from '../support/sample-chats.ts';

/** A server that counts what is requested of it. */
async function openListener() {
  const asked: string[] = [];
  const server = createServer(({ url }, response) => {
    asked.push(url ?? '');
    response.setHeader('access-control-allow-origin', '*').end('1');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** What the browser says of what a preview may not do. */
const REFUSED = /Content.Security.Policy|sandbox|Blocked|Ignored call to/i;

const it = pageTest.extend('preview', async ({ desk, page, tab, visit }, { onCleanup }) => {
  onCleanup(() => {
    const others = tab.incidents.filter((incident) => !REFUSED.test(incident));
    tab.incidents.splice(0, tab.incidents.length, ...others);
  });
  return async (language: string, code: string) => {
    const answer = text(`Here:\n\n\`\`\`${language}\n${code}\n\`\`\``);
    desk.answers['chats.open'] = () => ({
      ...{ chat: CHAT, more: false, rev: 0 },
      messages: [message(1, 'user', [text('Draw')]), message(2, 'assistant', [answer])],
    });
    await visit('activity', 'Activity');
    await visit('chat/c1', 'Chat');
    expect(await page.locator('iframe').count()).toBe(0);
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    return page.frameLocator('.code-preview iframe');
  };
});

describe('a preview of an answer, in a real browser', NEEDS_BROWSER, () => {
  it(
    'shows an SVG, and is closed on the desktop when it is stopped',
    DEEP,
    async ({ askedFor, page, preview }) => {
      const frame = await preview('svg', '<svg viewBox="0 0 9 9"><text y="5">Leaf</text></svg>');
      await frame.getByText('Leaf').waitFor();
      await page
        .getByRole('region', { name: 'Preview of SVG' })
        .getByRole('button', { name: 'Stop' })
        .click();
      await expect.poll(() => page.locator('iframe').count()).toBe(0);
      await expect.poll(() => askedFor('previews.close')).toHaveLength(1);
      await page.getByRole('button', { name: 'Preview', exact: true }).waitFor();
    },
  );

  it('runs scripts of HTML without network, storage, dialogs, windows or access to the page', async ({
    preview,
  }) => {
    const { asked, origin } = await openListener();
    const frame = await preview(
      'html',
      `<p id="said"></p><img src="${origin}/img"><link rel="stylesheet" href="${origin}/css"><script src="${origin}/js"></script>
<script>(async () => {
  const tried = {};
  const attempt = async (name, work) => { try { tried[name] = String(await work()); } catch { tried[name] = 'no'; } };
  await attempt('origin', () => self.origin);
  await attempt('fetch', () => fetch('${origin}/fetch'));
  await attempt('beacon', () => navigator.sendBeacon('${origin}/beacon') && 'sent');
  await attempt('socket', () => new Promise((yes, no) => { const s = new WebSocket('${origin.replace('http', 'ws')}/ws'); s.onopen = yes; s.onerror = no; }));
  await attempt('storage', () => localStorage.length);
  await attempt('cookie', () => document.cookie);
  await attempt('page', () => parent.document.title);
  await attempt('top', () => { top.location = '${origin}/top'; return 'went'; });
  await attempt('window', () => open('${origin}/window') === null ? 'no' : 'opened');
  await attempt('dialog', () => confirm('?') === false ? 'no' : 'shown');
  await attempt('worker', () => new Promise((yes, no) => { const w = new Worker(URL.createObjectURL(new Blob(['postMessage(1)']))); w.onmessage = yes; w.onerror = no; }));
  document.getElementById('said').textContent = JSON.stringify(tried);
})();</script>`,
    );
    await expect.poll(() => frame.locator('#said').textContent()).toMatch(/worker/);
    expect(JSON.parse((await frame.locator('#said').textContent()) ?? '')).toEqual({
      ...{ origin: 'null', fetch: 'no', beacon: 'sent', socket: 'no', storage: 'no', cookie: 'no' },
      ...{ page: 'no', top: 'no', window: 'no', dialog: 'no', worker: 'no' },
    });
    expect(asked).toEqual([]);
  });

  it('is stopped when it leaves its page, which asks no other host', DEEP, async ({ page, preview }) => {
    const { asked, origin } = await openListener();
    await preview('html', `<script>setTimeout(() => { location = '${origin}/away?secret' }, 100)</script>`);
    await page.getByText('the preview tried to leave its page').waitFor();
    expect(asked).toEqual([]);
  });

  it('is stopped when it sends many messages', DEEP, async ({ page, preview }) => {
    await preview(
      'html',
      `<script>setInterval(() => { for (let i = 0; i < 9; i += 1) parent.postMessage(i, '*'); })</script>`,
    );
    await page.getByText('the preview sent too many messages').waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
  });

  it.for(['for (;;);', "for (;;) parent.postMessage('', '*');"])(
    'may loop for ever: the page goes on, and Stop ends it (%s)',
    DEEP,
    async (loop, { askedFor, page, preview }) => {
      await preview('html', `<p>Loops</p><script>${loop}</script>`);
      await page.locator('.code-preview iframe').waitFor();
      const field = page.getByLabel('Message', { exact: true });
      await field.fill('Still here');
      await field.press('Enter');
      await expect.poll(() => askedFor('chats.send')).toHaveLength(1);
      await page.locator('.code-preview').getByRole('button', { name: 'Stop' }).click();
      await expect.poll(() => page.locator('iframe').count()).toBe(0);
    },
  );

  it('draws a diagram', async ({ page, preview }) => {
    const frame = await preview(
      'mermaid',
      'flowchart LR\n  A["Order #quot;1 < 2#quot;"] -->|a & b| B{Paid?}\n  B -- no --> C([Wait])',
    );
    const drawn = frame.locator('svg');
    await drawn.getByText('Paid?').waitFor();
    expect(await drawn.textContent()).toMatch(/Order "1 < 2"/);
    await page.getByRole('region', { name: 'Preview of diagram' }).waitFor();
  });

  it('says why a text is no diagram', DEEP, async ({ preview }) => {
    const frame = await preview('mermaid', 'flowchart LR\n  A --> <img src=x onerror=alert(1)> -->');
    await expect.poll(() => frame.getByRole('alert').textContent()).toMatch(/cannot be drawn.*error/is);
    expect(await frame.locator('svg, img').count()).toBe(0);
  });

  it('draws a diagram without network, and runs nothing that it says', async ({ preview }) => {
    const { asked, origin } = await openListener();
    const frame = await preview(
      'mermaid',
      `%%{init: {"securityLevel": "loose", "flowchart": {"htmlLabels": true}, "themeCSS": "@import url(${origin}/css); * { background: url(${origin}/background) }"}}%%
flowchart LR
  A["<img src='${origin}/img' onerror='document.title=1'><script src='${origin}/js'></script>Leaf"] --> B
  B["<iframe srcdoc='<script>parent.document.title=1</script>'></iframe>Root"]
  C["</pre><script>document.title = 1</script>End"]
  click A href "${origin}/href"
  click B call fetch("${origin}/call")`,
    );
    const drawn = frame.locator('svg');
    await drawn.waitFor();
    for (const label of ['Leaf', 'Root']) await drawn.locator('p', { hasText: label }).click({ force: true });
    expect(await frame.locator('script').count()).toBe(1);
    expect(
      await frame
        .locator('#diagram')
        .evaluate((place) => [...place.querySelectorAll('iframe, script, [onerror]')].length),
    ).toBe(0);
    expect(
      await frame
        .locator('a')
        .evaluateAll((links) =>
          links
            .flatMap((link) => [...link.attributes].map(({ name }) => name))
            .filter((name) => name.endsWith('href')),
        ),
    ).toEqual([]);
    expect(await frame.locator('body').evaluate(() => document.title)).toBe('');
    expect(asked).toEqual([]);
  });

  it('is offered for no other code', async ({ desk, page, visit }) => {
    desk.answers['chats.open'] = () => ({
      ...{ chat: CHAT, more: false, rev: 0 },
      messages: [message(1, 'assistant', [text('```ts\nconst a = "<svg>";\n```\n\n```xml\n<note/>\n```')])],
    });
    await visit('chat/c1', 'Chat');
    await page.getByText('const').waitFor();
    expect(await page.getByRole('button', { name: 'Preview', exact: true }).count()).toBe(0);
  });
});
