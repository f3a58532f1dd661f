import { DEEP } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NEEDS_FIREFOX } from '../packages/runtime/test/support/firefox.ts';
import {
  type FirefoxStage,
  openFirefoxStage,
  untilIn,
} from '../packages/runtime/test/support/firefox-stage.ts';
import { panelApp, panelFiles } from '../packages/runtime/test/support/panel-app.ts';
import { toolAnswer } from '../packages/runtime/test/support/panel-world.ts';

const CONNECTED = `import { connectPanel } from './connect-panel.js';
globalThis.told = [];
globalThis.host = await connectPanel({ context: ({ theme }) => told.push(theme), teardown: async (reason) => { told.push(reason); } });`;

const NAMES = ['', 'api.example.test', 'a.cdn.test'];

let stage: FirefoxStage;

/** Hosts outside the domains of the app that received a request. */
const foreign = (): string[] => [...stage.outside.met].filter((host) => !NAMES.includes(host));

const show = (files: Record<string, string> = {}, app = panelApp()) => stage.show(app, panelFiles('', files));

const fetching = (url: string): string => `fetch('${url}').then((answer) => answer.text(), () => 'refused')`;

/** A script that adds an element, and waits until it loads or fails. */
const adding = (tag: string, fields: Record<string, string>): string => `new Promise((settled) => {
  const element = Object.assign(document.createElement('${tag}'), ${JSON.stringify(fields)});
  element.onload = () => settled('loaded');
  element.onloadeddata = () => settled('loaded');
  element.onerror = () => settled('refused');
  document.head.append(element);
})`;

/** Number of panel frames in the page of the client. */
const framesShown = () => stage.page.evaluate('document.querySelectorAll("iframe").length');

describe('panels in Firefox, which does not support Connection-Allowlist', NEEDS_FIREFOX, () => {
  beforeAll(async () => {
    stage = await openFirefoxStage();
  });
  beforeEach(() => stage.outside.met.clear());
  afterAll(async () => {
    await stage.close();
    expect(stage.faults).toEqual([]);
  });

  it('communicate with their client, and get no tokens, because the runtime sends their calls', async () => {
    const shown = [
      await stage.show(panelApp(), panelFiles(CONNECTED)),
      await stage.show(panelApp(), panelFiles(CONNECTED)),
    ];
    stage.answerWith(async (_app, { tool }) => toolAnswer(`from ${tool}`, { notes: [1] }));
    for (const { frame } of shown) {
      await untilIn(frame, 'globalThis.host');
      expect(await frame.evaluate('host.context.locale')).toBe('en-GB');
      expect(await frame.evaluate('host.hostCapabilities.accounts')).toEqual({ tokens: false });
      await frame.evaluate(`host.connectAccount('notes')`);
      expect(await frame.evaluate(`host.getToken('notes').catch(({ code }) => code)`)).toBe('token-withheld');
      expect(await frame.evaluate(`host.callTool('list_notes')`)).toEqual({
        content: [{ type: 'text', text: 'from list_notes' }],
        structuredContent: { notes: [1] },
        isError: false,
      });
    }
    expect(stage.tokens).toEqual([]);
    const said = stage.told.filter(({ type }) => type === 'panel-tokens-withheld');
    expect(said).toEqual([{ type: 'panel-tokens-withheld', appId: 'com.example.notes', panel: 'main' }]);
  });

  it('leave the keyboard to a field of the client that has it', async () => {
    const { frame } = await show();
    const { page } = stage;
    await page.evaluate(`(() => {
      const field = Object.assign(document.createElement('textarea'), { id: 'field' });
      document.body.prepend(field);
      field.focus();
    })()`);
    await frame.evaluate(`(() => {
      globalThis.taken = 0;
      const input = document.body.appendChild(document.createElement('input'));
      const timer = setInterval(() => { window.focus(); input.focus(); globalThis.taken += 1; if (globalThis.taken > 9) clearInterval(timer); }, 50);
    })()`);
    // The panel has given up, or was removed because it repeats the theft.
    await eventually(async () => {
      const taken = frame.detached ? 10 : await frame.evaluate('globalThis.taken').catch(() => 10);
      expect(Number(taken)).toBeGreaterThan(9);
    });
    expect(await page.evaluate('document.activeElement.id')).toBe('field');
    await page.evaluate('document.getElementById("field").remove()');
  });

  it('receive theme changes, read picked files, and close on request', DEEP, async () => {
    const { frame, panel, reason } = await stage.show(panelApp(), panelFiles(CONNECTED));
    await untilIn(frame, 'globalThis.host');
    // Messages arrive in order: after this response, the client has received that the panel is ready.
    await frame.evaluate('host.listAccounts()');
    panel.change({ theme: 'light' });
    await untilIn(frame, `told.includes('light')`);
    const bytes = new TextEncoder().encode('<script>parent.ran = 1</script>');
    stage.give({ name: 'a.html', type: 'text/html', bytes });
    const read = await frame.evaluate(`(async () => {
      const [file] = await host.pickFiles();
      const answer = await fetch(file.url);
      return [answer.headers.get('content-type'), (await answer.text()).length];
    })()`);
    expect(read).toEqual(['application/octet-stream', bytes.length]);
    await panel.close('closed');
    expect(await reason).toBe('closed');
  });

  it(
    'reach the domains of their app by fetch and in workers, through redirects too, and no others',
    DEEP,
    async () => {
      const worker = `fetch('https://evil.test/').catch(() => fetch('https://api.example.test/'))
      .then((answer) => answer.text()).then(postMessage, (error) => postMessage(String(error)))`;
      const { frame } = await show({ 'ui/worker.js': worker });
      expect(await frame.evaluate(fetching('https://api.example.test/'))).toBe('from outside');
      expect(await frame.evaluate(fetching('https://api.example.test/to/a.cdn.test'))).toBe('from outside');
      expect(await frame.evaluate(fetching('https://evil.test/'))).toBe('refused');
      expect(await frame.evaluate(fetching('https://api.example.test/to/evil.test'))).toBe('refused');
      expect(await frame.evaluate(fetching('http://api.example.test/'))).toBe('refused');
      const heard = await frame.evaluate(`new Promise((settled) => {
      const worker = new Worker('worker.js');
      worker.onmessage = ({ data }) => settled(data);
      worker.onerror = () => settled('refused');
    })`);
      expect(heard).toBe('from outside');
      expect(foreign()).toEqual([]);
    },
  );

  it(
    'load no script, style, font, picture or media from elsewhere, and run nothing inline',
    DEEP,
    async () => {
      // In its own script: the automation of the browser may evaluate text as code where a page may not.
      const evaluating = `try { globalThis.made = new Function('return "made of text"')() } catch { globalThis.made = 'refused' }`;
      const { frame } = await stage.show(panelApp(), panelFiles(evaluating));
      await untilIn(frame, 'globalThis.made');
      expect(await frame.evaluate('globalThis.made')).toBe('refused');
      const at = (name: string) => `https://${name}.test/a`;
      const attempts = [
        adding('script', { src: at('script') }),
        adding('script', { src: 'https://api.example.test/code.js' }),
        adding('link', { href: at('style'), rel: 'stylesheet' }),
        adding('img', { src: at('picture') }),
        adding('video', { src: at('video') }),
        `new FontFace('f', 'url(${at('font')})').load().then(() => 'loaded', () => 'refused')`,
        `new Promise((settled) => { const socket = new WebSocket('wss://socket.test/');
        socket.onopen = () => settled('loaded'); socket.onerror = () => settled('refused'); })`,
      ];
      const tried = (attempt: string) => frame.evaluate(`(async () => ${attempt})().catch(() => 'refused')`);
      for (const attempt of attempts) expect(await tried(attempt)).toBe('refused');
      const ran = await frame.evaluate(`(() => {
      const script = document.createElement('script');
      script.textContent = 'globalThis.ran = "inline"';
      document.head.append(script);
      document.body.insertAdjacentHTML('beforeend', '<button onclick="globalThis.ran = 1">');
      document.querySelector('button').click();
      return globalThis.ran ?? 'nothing';
    })()`);
      expect(ran).toBe('nothing');
      expect(foreign()).toEqual([]);
    },
  );

  it('can neither read nor navigate the client’s page and the frame around them', async () => {
    const { frame } = await show();
    const tried = await frame.evaluate(`[
      () => top.document, () => parent.document, () => top.heard,
      () => { top.location = 'https://away.test/'; }, () => { parent.location = 'https://away.test/'; },
    ].map((attempt) => { try { return String(attempt()); } catch (error) { return error.name; } })`);
    expect(tried).toEqual(Array(5).fill('SecurityError'));
    expect(await frame.evaluate('String(frameElement)')).toBe('null');
    const opened = `(() => { try { return open('https://window.test/') !== null } catch { return false } })()`;
    expect(await frame.evaluate(opened)).toBe(false);
    expect(stage.page.url()).toBe(`${stage.client.origin}/`);
    expect(foreign()).toEqual([]);
  });

  it(
    'share no storage with another app, cannot read its files, and cannot register a service worker',
    DEEP,
    async () => {
      const mine = await show({ 'ui/worker.js': 'onfetch = () => {}' });
      const other = await show({}, panelApp({ id: 'com.example.other' }));
      await mine.frame.evaluate(`try { localStorage.setItem('token', 'mine') } catch {}
      document.cookie = 'token=mine;domain=localhost'`);
      const kept = `(() => { try { return [localStorage.getItem('token'), document.cookie] } catch { return [null, ''] } })()`;
      expect(await other.frame.evaluate(kept)).toEqual([null, '']);
      expect(await other.frame.evaluate(fetching(mine.frame.url()))).toBe('refused');
      const registered = `navigator.serviceWorker ? navigator.serviceWorker.register('worker.js')
      .then(() => 'registered', ({ name }) => name) : 'none'`;
      expect(await mine.frame.evaluate(registered)).not.toBe('registered');
    },
  );

  it.each([
    ['set their location', `setTimeout(() => { location = 'https://away.test/?token' })`],
    [
      'become a blob',
      `setTimeout(() => { location = URL.createObjectURL(new Blob(['<p>'], { type: 'text/html' })) })`,
    ],
    ['go to another page of their own', `setTimeout(() => { location = 'other.html' })`],
    ['reload', `setTimeout(() => location.reload())`],
  ])('are removed when they %s', async (_what, script) => {
    const before = await framesShown();
    const { frame, reason } = await show({ 'ui/other.html': '<p>other</p>' });
    const page = frame.url();
    expect(stage.serve(new Request(page)).status).toBe(200);
    await frame.evaluate(script);
    expect(await reason).toBe('navigated');
    await expect.poll(framesShown).toBe(before);
    expect(stage.serve(new Request(page)).status).toBe(404);
  });

  it('are closed when they flood the client', DEEP, async () => {
    const { frame, reason } = await stage.show(panelApp(), panelFiles(CONNECTED));
    await untilIn(frame, 'globalThis.host');
    await frame.evaluate(
      `setTimeout(() => { for (let i = 0; i < 5000; i += 1) host.listAccounts().catch(() => {}); })`,
    );
    expect(await reason).toBe('flooded');
  });
});
