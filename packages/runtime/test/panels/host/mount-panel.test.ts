import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { NEEDS_BROWSER } from '../../../../../apps/web/test/support/real-browser.ts';
import type { WindowMessage } from '../../../src/panels/host/dom.ts';
import { mountPanel } from '../../../src/panels/host/mount-panel.ts';
import { panelApp, panelFiles } from '../../support/panel-app.ts';
import { openStage, type Stage, until } from '../../support/panel-stage.ts';

/** A panel that accepts its port without the library, and records its messages. */
const RAW = `globalThis.heard = [];
addEventListener('message', ({ data, ports }) => {
  if (ports[0]) { globalThis.port = ports[0]; port.onmessage = ({ data }) => heard.push(JSON.parse(data)); }
});
parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/port-request' }, '*');
parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/port-request' }, '*');`;

const asking = (method: string, params: object = {}): string =>
  `port.postMessage(JSON.stringify({ jsonrpc: '2.0', id: ${JSON.stringify(method)}, method: ${JSON.stringify(method)},
    params: ${JSON.stringify(params)} }))`;

let stage: Stage;

describe('the channel of a panel, in a real browser', NEEDS_BROWSER, () => {
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage.close());

  async function show(app = panelApp()) {
    const shown = await stage.show(app, panelFiles(RAW));
    await until(shown.frame, 'globalThis.port');
    return shown;
  }

  it('belongs to one app: a panel that names another app gets no token of it', async () => {
    const other = await show(panelApp({ id: 'com.example.other' }));
    await other.frame.evaluate(asking('accounts/connect', { account: 'notes' }));
    await until(other.frame, 'heard.length === 1');
    const { frame } = await show();
    await frame.evaluate(asking('accounts/token', { account: 'com.example.other/notes' }));
    await frame.evaluate(asking('accounts/token', { account: 'notes', app: 'com.example.other' }));
    await until(frame, 'heard.length === 2');
    expect(await frame.evaluate('heard.map(({ error }) => error.data?.code ?? error.code)')).toEqual([
      'unknown-account',
      -32602,
    ]);
    expect(stage.tokens).toEqual([]);
  });

  it('is granted once, to the page that requested it', async () => {
    const { frame } = await show();
    const again = await frame.evaluate(`new Promise((settled) => {
      addEventListener('message', () => settled('again'));
      parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/port-request' }, '*');
      setTimeout(() => settled('once'), 100);
    })`);
    expect(again).toBe('once');
  });

  it('is granted to the window of the panel, not to a frame within it', async () => {
    const asks = `addEventListener('message', ({ ports }) => { parent.given = ports.length; });
      for (const around of [parent, parent.parent, top]) {
        around.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/port-request' }, '*');
      }
      parent.asked = true;`;
    const { frame } = await stage.show(panelApp(), panelFiles('', { 'ui/inner.js': asks, 'ui/raw.js': RAW }));
    await frame.evaluate(`(() => {
      const inner = document.createElement('iframe');
      document.body.append(inner);
      const script = Object.assign(inner.contentDocument.createElement('script'), { src: 'inner.js' });
      inner.contentDocument.body.append(script);
    })()`);
    await until(frame, 'globalThis.asked');
    await frame.evaluate(
      `document.head.append(Object.assign(document.createElement('script'), { src: 'raw.js' }))`,
    );
    await until(frame, 'globalThis.port');
    expect(await frame.evaluate('globalThis.given')).toBeUndefined();
  });

  it('checks the window and the origin of a message, not its content', async () => {
    const { frame, panel } = await show();
    await frame.evaluate(`for (const around of [parent, top]) {
      for (const method of ['ui/notifications/frame-ended', 'ui/notifications/frame-ready', 'ui/notifications/port']) {
        around.postMessage({ jsonrpc: '2.0', method, origin: '${stage.client.origin}' }, '*', [new MessageChannel().port1]);
      }
    }`);
    await frame.evaluate(asking('ping'));
    await until(frame, 'heard.length === 1');
    expect(await frame.evaluate('heard')).toEqual([{ jsonrpc: '2.0', id: 'ping', result: {} }]);
    expect(await stage.page.locator(`iframe[src="${panel.frame.address}"]`).count()).toBe(1);
  });

  it('ends when the panel sends too many messages', async () => {
    const { frame, reason, panel } = await show();
    await frame.evaluate(`for (let i = 0; i < 5000; i += 1) ${asking('ping')}`).catch(() => {});
    expect(await reason).toBe('flooded');
    await expect.poll(() => stage.page.locator(`iframe[src="${panel.frame.address}"]`).count()).toBe(0);
  });

  it.each([
    ['a huge text', `'x'.repeat(1_000_000)`],
    ['a message that is not a text', `({ jsonrpc: '2.0', id: 1, method: 'ping' })`],
    ['a large buffer', 'new ArrayBuffer(10_000_000)'],
  ])('ends with %s', async (_what, value) => {
    const { frame, reason } = await show();
    await frame.evaluate(`port.postMessage(${value})`).catch(() => {});
    expect(await reason).toBe('message-too-large');
  });

  it.each([
    ['to its port', 'port.postMessage(big)', 'message-too-large'],
    ['to the page around it', "parent.postMessage(big, '*')", 'flooded'],
    ['to the page of the client', "top.postMessage(big, '*')", 'flooded'],
  ] as const)('ends with a flood of large messages %s', async (_what, send, limit) => {
    const { frame, reason } = await show();
    await stage.page.evaluate('heard.length = 0');
    const flood = `setTimeout(() => { const big = 'x'.repeat(1_000_000); for (let i = 0; i < 60; i += 1) ${send}; })`;
    await frame.evaluate(`void ${flood}`);
    expect(await reason).toBe(limit);
    const heard = 'heard.filter(({ data }) => typeof data === "string").length';
    if (limit !== 'flooded' || send.startsWith('parent')) expect(await stage.page.evaluate(heard)).toBe(0);
  });

  it('is closed when it takes the keyboard from a field of the client', async () => {
    const { frame, reason } = await show();
    const { page } = stage;
    await page.evaluate(`(() => {
      const field = Object.assign(document.createElement('textarea'), { id: 'field' });
      document.body.prepend(field);
      field.focus();
    })()`);
    await frame.evaluate(`(() => {
      const input = document.body.appendChild(document.createElement('input'));
      setInterval(() => { window.focus(); input.focus(); }, 100);
    })()`);
    expect(await reason).toBe('took-focus');
    await page.keyboard.type('the password is hunter2');
    expect(await page.evaluate('field.value')).toBe('the password is hunter2');
    await page.evaluate('field.remove()');
  });

  it('gets the keyboard by the press after the one that leaves the field, and gives it back', async () => {
    const { frame, panel } = await show();
    const { page } = stage;
    await page.evaluate(`(() => {
      const field = Object.assign(document.createElement('textarea'), { id: 'field' });
      document.body.prepend(field);
      field.focus();
    })()`);
    await frame.evaluate(`(() => {
      globalThis.typed = '';
      addEventListener('keydown', ({ key }) => { typed += key; });
    })()`);
    await page.keyboard.type('abc');
    const box = await page.locator(`iframe[src="${panel.frame.address}"]`).boundingBox();
    const press = () => page.mouse.click((box?.x ?? 0) + 20, (box?.y ?? 0) + 20);
    await press();
    expect(await page.evaluate('document.activeElement === document.body')).toBe(true);
    // Browsers learn with the next frame where a press goes.
    await expect
      .poll(async () => {
        await press();
        return frame.evaluate('document.hasFocus()');
      })
      .toBe(true);
    await page.keyboard.type('def');
    await until(frame, "globalThis.typed === 'def'");
    await page.locator('#field').click();
    await page.keyboard.type('ghi');
    expect(await page.evaluate('field.value')).toBe('abcghi');
    expect(await frame.evaluate('globalThis.typed')).toBe('def');
    await page.evaluate('field.remove()');
  });

  it('ends at once when the app is yanked, and its page is removed', async () => {
    const { frame, panel, reason } = await show();
    stage.events.emit({
      type: 'app-yanked',
      appId: 'com.example.notes',
      version: '1.0.0',
      reason: 'It sends notes away.',
    });
    expect(await reason).toBe('yanked');
    await expect.poll(() => stage.page.locator(`iframe[src="${panel.frame.address}"]`).count()).toBe(0);
    await expect.poll(() => frame.isDetached()).toBe(true);
  });
});

const LARGE = 20 * 1024 * 1024;

/** Windows of a page, a frame page in it, and a panel in that; a message is copied when its data is read, and that is counted. */
function fakePage() {
  const panel = {};
  const framePage = { 0: panel, length: 1, postMessage: () => {} };
  const listeners = new Set<(event: WindowMessage) => void>();
  const frame = {
    ...{ style: { pointerEvents: '' }, tabIndex: 0, isConnected: true, contentWindow: framePage },
    ...{ setAttribute: () => {}, addEventListener: () => {}, matches: () => false, focus: () => {} },
    remove: () => {},
  };
  const parent = {
    append: () => {},
    ownerDocument: {
      ...{ activeElement: null, addEventListener: () => {}, removeEventListener: () => {} },
      createElement: () => frame,
      defaultView: {
        addEventListener: (_: 'message', listener: (event: WindowMessage) => void) => listeners.add(listener),
        removeEventListener: (_: 'message', listener: (event: WindowMessage) => void) =>
          listeners.delete(listener),
      },
    },
  };
  const read: number[] = [];
  const send = (source: unknown, origin: string) => {
    const event = {
      ...{ source, origin },
      get data() {
        read.push(LARGE);
        return 'x'.repeat(LARGE);
      },
    };
    for (const listener of listeners) listener(event);
  };
  return { parent, panel, read, send, listeners };
}

it('60 messages of 20 MB to the page around a panel are never copied, and end the panel', () => {
  const { parent, panel, read, send, listeners } = fakePage();
  const closed: string[] = [];
  const mounted = mountPanel({
    parent,
    frame: { address: 'http://frame.test/', origin: 'http://frame.test', sandbox: '', title: 'Notes' },
    connection: { send: () => {}, listen: () => {}, close: () => {} },
    now: () => 0,
    closed: (reason) => closed.push(reason),
  });
  onTestFinished(() => mounted.close());
  // From the panel itself, from a window of another program, and from the frame page's window at another origin.
  for (let n = 0; n < 20; n += 1) send(panel, 'null');
  send({}, 'http://frame.test');
  send(parent, 'http://evil.test');
  expect([closed, read]).toEqual([[], []]);
  for (let n = 0; n < 40; n += 1) send(panel, 'null');
  expect([closed, read]).toEqual([['flooded'], []]);
  expect(listeners.size).toBe(0);
});
