import { DEEP } from '@svc/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { NEEDS_BROWSER } from '../../../../apps/web/test/support/real-browser.ts';
import { panelApp, panelFiles } from '../support/panel-app.ts';
import { NEEDS_ALLOWLIST, openStage, type Stage } from '../support/panel-stage.ts';

const SECRET = /\/([\w-]{43})\//;
const NAMES = ['', 'api.example.test', 'a.cdn.test'];

let stage: Stage;

/** Hosts outside of the footprint that received a connection. */
const foreign = (): string[] => [...stage.outside.met].filter((host) => !NAMES.includes(host));

/** The same after a refused navigation: a browser without the allowlist may connect before it refuses. */
const foreignNavigations = (): string[] => (stage.isConfined ? foreign() : []);

/** A script that adds an element, and waits until it is loaded or refused. */
const adding = (tag: string, fields: Record<string, string>): string => `new Promise((settled) => {
  const element = Object.assign(document.createElement('${tag}'), ${JSON.stringify(fields)});
  element.onload = () => settled('loaded');
  element.onloadeddata = () => settled('loaded');
  element.onerror = () => settled('refused');
  document.head.append(element);
})`;

describe('a hostile panel, in a real browser', NEEDS_BROWSER, () => {
  beforeAll(async () => {
    stage = await openStage();
  });
  // Each test counts only its own connections.
  beforeEach(() => stage.outside.met.clear());
  afterAll(async () => {
    await stage.close();
    expect(stage.faults).toEqual([]);
  });

  const show = (app = panelApp()) => stage.show(app, panelFiles('', { 'ui/other.html': '<p>other</p>' }));
  const fetching = (url: string): string =>
    `fetch('${url}').then((answer) => answer.text(), () => 'refused')`;

  /** Gathers ICE candidates with the STUN server of the test. */
  const calling = (view: string): string => `try {
    const peer = new ${view}.RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${stage.outside.udpPort}' }] });
    peer.createDataChannel('away');
    await peer.setLocalDescription(await peer.createOffer());
    if (peer.iceGatheringState !== 'complete') await new Promise((settled) => {
      peer.onicegatheringstatechange = settled;
      setTimeout(settled, 300);
    });
  } catch {}`;

  it('can fetch only from the domains of its footprint, also through redirects', async () => {
    const { frame } = await show();
    expect(await frame.evaluate(fetching('https://api.example.test/'))).toBe('from outside');
    expect(await frame.evaluate(fetching('https://api.example.test/to/a.cdn.test'))).toBe('from outside');
    expect(await frame.evaluate(fetching('https://evil.test/'))).toBe('refused');
    expect(await frame.evaluate(fetching('https://api.example.test/to/evil.test'))).toBe('refused');
    expect(await frame.evaluate(fetching('http://api.example.test/'))).toBe('refused');
    expect(foreign()).toEqual([]);
  });

  it('loads no script, style, font, picture or media from other domains, and opens no socket or stream to them', async () => {
    const { frame } = await show();
    const at = (name: string) => `https://${name}.test/a`;
    const attempts = [
      adding('script', { src: at('script') }),
      adding('script', { src: at('module'), type: 'module' }),
      // Not even from its own domains, which may serve data, but no code.
      adding('script', { src: 'https://api.example.test/code.js' }),
      adding('link', { href: at('style'), rel: 'stylesheet' }),
      adding('img', { src: at('picture') }),
      adding('video', { src: at('video') }),
      `new FontFace('f', 'url(${at('font')})').load().then(() => 'loaded', () => 'refused')`,
      `new Promise((settled) => { const socket = new WebSocket('wss://socket.test/');
        socket.onopen = () => settled('loaded'); socket.onerror = () => settled('refused'); })`,
      `new WebTransport('${at('transport')}').ready.then(() => 'loaded', () => 'refused')`,
      `new Promise((settled) => { const source = new EventSource('${at('events')}');
        source.onopen = () => settled('loaded'); source.onerror = () => settled('refused'); })`,
    ];
    for (const attempt of attempts) expect(await frame.evaluate(attempt)).toBe('refused');
    expect(foreign()).toEqual([]);
  });

  it('runs no inline script, and no script from a string', async () => {
    const { frame } = await show();
    const ran = await frame.evaluate(`(() => {
      const script = document.createElement('script');
      script.textContent = 'globalThis.ran = "inline"';
      document.head.append(script);
      document.body.insertAdjacentHTML('beforeend', '<button onclick="globalThis.ran = 1">');
      document.querySelector('button').click();
      setTimeout('globalThis.ran = "timer"', 0);
      return new Promise((settled) => setTimeout(() => settled(globalThis.ran ?? 'nothing'), 20));
    })()`);
    expect(ran).toBe('nothing');
  });

  it('makes no connection by resource hints, speculation rules, beacons or WebRTC', async ({ skip }) => {
    skip(!stage.isConfined, NEEDS_ALLOWLIST);
    const { frame } = await show();
    const relations = [
      'dns-prefetch',
      'preconnect',
      'prefetch',
      'preload',
      'modulepreload',
      'prerender',
      'icon',
    ];
    await frame.evaluate(`(async () => {
      for (const rel of ${JSON.stringify(relations)}) {
        const link = Object.assign(document.createElement('link'), { rel, as: 'image' });
        link.href = 'https://' + rel + '.test/';
        document.head.append(link);
      }
      const rules = Object.assign(document.createElement('script'), { type: 'speculationrules' });
      rules.textContent = '{"prefetch":[{"source":"list","urls":["https://rules.test/"]}]}';
      document.head.append(rules);
      navigator.sendBeacon('https://beacon.test/');
      ${calling('self')}
    })()`);
    // Earlier requests have arrived when this one has.
    expect(await frame.evaluate(fetching('https://api.example.test/'))).toBe('from outside');
    expect(foreign()).toEqual([]);
    expect(stage.outside.packets()).toBe(0);
  });

  it('has no feature of the Permissions Policy', async () => {
    const { frame } = await show();
    expect(await frame.evaluate('document.featurePolicy.allowedFeatures()')).toEqual([]);
  });

  it('opens no window, frame or plugin, changes no base URL, and shows no dialog', async () => {
    const { frame, panel } = await show();
    const pages = stage.page.context().pages().length;
    const done = await frame.evaluate(`(() => {
      document.body.insertAdjacentHTML('beforeend', \`<base href="https://base.test/">
        <iframe src="https://frame.test/"></iframe><object data="https://object.test/"></object>
        <embed src="https://embed.test/"><a href="https://link.test/" target="_blank">out</a>
        <a href="panel.js" download>file</a>\`);
      for (const link of document.querySelectorAll('a')) link.click();
      return [String(open('https://window.test/')), new URL(document.baseURI).host, confirm('Really?')];
    })()`);
    expect(done).toEqual(['null', new URL(frame.url()).host, false]);
    const kept = stage.page
      .frames()
      .filter((one) => one.url().includes(panel.frame.address.match(SECRET)?.[1] ?? ''));
    expect(kept).toHaveLength(2);
    expect(stage.page.context().pages()).toHaveLength(pages);
    expect(foreignNavigations()).toEqual([]);
  });

  it.each([
    ['sets its location', `location = 'https://away.test/?token'`],
    ['follows a link', `Object.assign(document.createElement('a'), { href: 'https://away.test/' }).click()`],
    [
      'submits a form',
      `(() => { const form = Object.assign(document.createElement('form'), { action: 'https://away.test/' });
        document.body.append(form); form.submit(); })()`,
    ],
    [
      'refreshes to another site',
      `document.head.insertAdjacentHTML('beforeend', '<meta http-equiv=refresh content="0;url=https://away.test/">')`,
    ],
    ['navigates to a blob URL', `location = URL.createObjectURL(new Blob(['<p>'], { type: 'text/html' }))`],
    ['navigates to a data URL', `location = 'data:text/html,<p>'`],
    ['navigates to another page of its app', `location = 'other.html'`],
    ['reloads', `location.reload()`],
  ])('is removed when it %s', async (_what, script) => {
    const { frame, panel, reason } = await show();
    const page = frame.url();
    expect(stage.serve(new Request(page)).status).toBe(200);
    await frame.evaluate(script).catch(() => {});
    expect(await reason).toBe('navigated');
    await expect.poll(() => stage.page.locator(`iframe[src="${panel.frame.address}"]`).count()).toBe(0);
    expect(stage.serve(new Request(page)).status).toBe(404);
    expect(foreignNavigations()).toEqual([]);
  });

  it('cannot navigate the page of the client, or the parent frame', async () => {
    const { frame } = await show();
    const thrown = await frame.evaluate(`['top', 'parent'].map((name) => {
      try { window[name].location = 'https://away.test/'; return 'sent'; } catch (error) { return error.name; }
    })`);
    expect(thrown).toEqual(['SecurityError', 'SecurityError']);
    expect(stage.page.url()).toBe(`${stage.client.origin}/`);
    expect(foreign()).toEqual([]);
  });

  it('cannot read the page of the client, or the parent frame', async () => {
    const { frame } = await show();
    const read =
      await frame.evaluate(`[() => top.document, () => parent.document, () => frameElement, () => top.heard]
      .map((look) => { try { return String(look()); } catch (error) { return error.name; } })`);
    expect(read).toEqual(['SecurityError', 'SecurityError', 'null', 'SecurityError']);
  });

  it('cannot start a service worker or a shared worker', DEEP, async () => {
    const { frame } = await stage.show(panelApp(), panelFiles('', { 'ui/worker.js': 'onfetch = () => {}' }));
    const worked = await frame.evaluate(`(async () => [
      await navigator.serviceWorker.register('worker.js').then(() => 'registered', (error) => error.name),
      await new Promise((settled) => {
        // Referenced by the page: otherwise it may be garbage-collected before it is refused.
        const worker = (globalThis.shared = new SharedWorker('worker.js'));
        worker.onerror = () => settled('refused');
        worker.port.onmessage = () => settled('runs');
      }),
    ])()`);
    expect(worked).not.toContain('registered');
    expect(worked).toContain('refused');
  });

  it('has workers that are limited to the same domains', async () => {
    const script = `fetch('https://evil.test/').catch(() => fetch('https://api.example.test/'))
      .then((answer) => answer.text()).then(postMessage, (error) => postMessage(String(error)))`;
    const { frame } = await stage.show(panelApp(), panelFiles('', { 'ui/worker.js': script }));
    const heard = await frame.evaluate(`new Promise((settled) => {
      const worker = new Worker('worker.js');
      worker.onmessage = ({ data }) => settled(data);
      worker.onerror = () => settled('refused');
    })`);
    expect(heard).toBe('from outside');
    expect(foreign()).toEqual([]);
  });

  it('shares no storage with another app or version, and reads none of their files', async () => {
    const [mine, other, next] = await Promise.all([
      show(),
      show(panelApp({ id: 'com.example.other' })),
      show(panelApp({ version: '1.0.1' })),
    ]);
    await mine.frame.evaluate(
      `localStorage.setItem('token', 'mine'); document.cookie = 'token=mine;domain=localhost'`,
    );
    for (const { frame } of [other, next]) {
      expect(await frame.evaluate(`[localStorage.getItem('token'), document.cookie]`)).toEqual([null, '']);
      expect(await frame.evaluate(fetching(mine.frame.url()))).toBe('refused');
      // The secret path of the other app leads to nothing on its own origin.
      const stolen = new URL(mine.frame.url()).pathname;
      expect(await frame.evaluate(`fetch('${stolen}').then(({ status }) => status)`)).toBe(404);
    }
    const again = await show();
    expect(new URL(again.frame.url()).origin).toBe(new URL(mine.frame.url()).origin);
    expect(again.frame.url()).not.toBe(mine.frame.url());
  });
});

it('a panel that starts a WebRTC call in an inner frame is ended by the browser', {
  ...DEEP,
  ...NEEDS_BROWSER,
}, async ({ skip }) => {
  // A browser of its own, because its driver treats the crash of a frame as a crash of the page.
  const own = await openStage();
  onTestFinished(() => own.close());
  skip(!own.isConfined, NEEDS_ALLOWLIST);
  const client = await own.page.context().newCDPSession(own.page);
  const { frame } = await own.show(panelApp(), panelFiles(''));
  const calling = `(async () => {
    const inner = document.createElement('iframe');
    document.body.append(inner);
    const server = { urls: 'stun:127.0.0.1:${own.outside.udpPort}' };
    const peer = new inner.contentWindow.RTCPeerConnection({ iceServers: [server] });
    peer.createDataChannel('away');
    await peer.setLocalDescription(await peer.createOffer());
    await new Promise((settled) => setTimeout(settled, 300));
  })()`;
  await expect(frame.evaluate(calling)).rejects.toThrow(/crashed/);
  const { result } = await client.send('Runtime.evaluate', { expression: 'document.title' });
  expect(result.value).toBe('client');
  expect(own.outside.packets()).toBe(0);
});
