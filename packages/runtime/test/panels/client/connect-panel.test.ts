import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEEP } from '@svc/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { NEEDS_BROWSER } from '../../../../../apps/web/test/support/real-browser.ts';
import { panelApp, panelFiles } from '../../support/panel-app.ts';
import { NEEDS_ALLOWLIST, openStage, type Stage, until } from '../../support/panel-stage.ts';
import { toolAnswer } from '../../support/panel-world.ts';

const SCRIPT = `import { connectPanel } from './connect-panel.js';
globalThis.told = [];
globalThis.host = await connectPanel({
  context: ({ theme, panel }) => told.push(theme + ' ' + panel.view),
  accounts: () => told.push('accounts'),
  teardown: async (reason) => { told.push(reason); },
});
document.body.dataset.ready = 'yes';`;

let stage: Stage;

describe('a panel with the client library, in a real browser', NEEDS_BROWSER, () => {
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage.close());

  async function show(on = stage) {
    const shown = await on.show(panelApp(), panelFiles(SCRIPT));
    await shown.frame.waitForSelector('[data-ready]', { state: 'attached' });
    return shown;
  }

  it('receives its context', async () => {
    const { frame } = await show();
    expect(await frame.evaluate('host.context')).toEqual({
      theme: 'dark',
      locale: 'en-GB',
      app: { id: 'com.example.notes', name: 'Notes', version: '1.0.0' },
      panel: {
        id: 'main',
        title: 'Notes <&">',
        view: 'all',
        views: [
          { id: 'all', label: 'All' },
          { id: 'new', label: 'New' },
        ],
      },
      settings: { columns: '2' },
    });
  });

  it('connects an account and gets a token for it', async ({ skip }) => {
    skip(!stage.isConfined, NEEDS_ALLOWLIST);
    const { frame } = await show();
    const account = { id: 'notes', label: 'Notes account', connected: false, expiresAt: null };
    expect(await frame.evaluate('host.listAccounts()')).toEqual([account]);
    expect(await frame.evaluate(`host.getToken('notes').catch((error) => error.code)`)).toBe('not-connected');
    await frame.evaluate(`host.connectAccount('notes')`);
    expect(await frame.evaluate('host.listAccounts()')).toEqual([{ ...account, connected: true }]);
    expect(await frame.evaluate(`host.getToken('notes')`)).toBe('token-of-com.example.notes-1');
    expect(await frame.evaluate(`host.getToken('notes')`)).toBe('token-of-com.example.notes-2');
    expect(stage.tokens).toContain('com.example.notes/notes panel main');
    expect(stage.asked).toHaveLength(1);
    expect(stage.asked[0]).toMatchObject({
      kind: 'connect',
      host: 'auth.example.test',
      account: { id: 'notes' },
    });
  });

  it('gets no token in a browser that does not enforce the allowlist, but can call tools there', async () => {
    const other = await openStage({ withoutAllowlist: true });
    onTestFinished(() => other.close());
    const pages = [await show(other), await show(other)];
    for (const { frame } of pages) {
      expect(await frame.evaluate('host.hostCapabilities')).toMatchObject({ accounts: { tokens: false } });
      await frame.evaluate(`host.connectAccount('notes')`);
      expect(await frame.evaluate(`host.getToken('notes').catch(({ code }) => code)`)).toBe('token-withheld');
    }
    expect(other.tokens).toEqual([]);
    // The event is emitted once for each app: the stage itself has opened a panel of another app.
    const said = other.told.filter(({ type }) => type === 'panel-tokens-withheld');
    expect(said).toEqual(
      ['com.example.probe', 'com.example.notes'].map((appId) => ({
        type: 'panel-tokens-withheld',
        appId,
        panel: 'main',
      })),
    );
    other.answerWith(async (_app, { arguments: { kind } }) => toolAnswer(`the ${kind}`, { notes: ['a'] }));
    expect(await pages[0]?.frame.evaluate(`host.callTool('list_notes', { kind: 'last' })`)).toEqual({
      content: [{ type: 'text', text: 'the last' }],
      structuredContent: { notes: ['a'] },
      isError: false,
    });
  });

  it('gets tokens in any browser when its client sets tokens to always', DEEP, async () => {
    const other = await openStage({ withoutAllowlist: true, tokens: 'always' });
    onTestFinished(() => other.close());
    const { frame } = await show(other);
    await frame.evaluate(`host.connectAccount('notes')`);
    expect(await frame.evaluate(`host.getToken('notes')`)).toBe('token-of-com.example.notes-1');
    expect(other.told.map(({ type }) => type)).not.toContain('panel-tokens-withheld');
  });

  it('picks a file, resizes it, reads the result, and releases the file', async () => {
    const { frame } = await show();
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>parent.ran = 1</script></svg>';
    stage.give({ name: 'a.svg', type: 'image/svg+xml', bytes: new TextEncoder().encode(svg) });
    const done = await frame.evaluate(`(async () => {
      const [file] = await host.pickFiles({ accept: ['image/*'] });
      const small = await host.runMedia(file.id, { op: 'resize', width: 10 });
      const answer = await fetch(small.url);
      const type = answer.headers.get('content-type');
      const text = await answer.text();
      await host.releaseFile(file.id);
      return { name: small.name, size: file.size, type, text, after: (await fetch(file.url)).status };
    })()`);
    expect(done).toEqual({
      name: 'small-a.svg',
      size: svg.length,
      // Never a type that a browser could use as a page, a script or a style.
      type: 'application/octet-stream',
      text: svg,
      after: 404,
    });
  });

  it('runs the example of the documentation', async () => {
    const text = readFileSync(join(import.meta.dirname, '../../../../../docs/panels.md'), 'utf8');
    const block = (language: string): string => text.split(`\`\`\`${language}\n`)[1]?.split('\n```')[0] ?? '';
    const app = panelApp({ id: 'com.example.documented' });
    const { frame } = await stage.show(app, panelFiles(block('js'), { 'ui/index.html': block('html') }));
    stage.answerWith(async (_app, { tool }) => toolAnswer(tool, { notes: ['Buy <b>milk</b>'] }));
    await frame.click('#connect');
    await frame.waitForSelector('li >> text=Buy <b>milk</b>');
    stage.give({ name: 'a.png', type: 'image/png', bytes: new Uint8Array([1, 2, 3]) });
    await frame.click('#attach');
    await frame.waitForSelector('#status >> text=Attached a.png.');
    expect(stage.called.at(-2)).toMatchObject({
      tool: 'attach_picture',
      files: { picture: [{ name: 'a.png', bytes: new Uint8Array([1, 2, 3]) }] },
      project: 'project-1',
    });
    expect(await frame.evaluate('document.body.dataset.view')).toBe('all');
  });

  it('is notified of a theme, a view, its accounts, and of its end', async () => {
    const { frame, panel, reason } = await show();
    // Messages stay in order: when this answer arrives, the client knows that the panel is ready.
    await frame.evaluate('host.listAccounts()');
    panel.change({ theme: 'light', view: 'new' });
    panel.change({ view: 'undeclared' });
    stage.events.emit({ type: 'account-connected', appId: 'com.example.notes', accountId: 'notes' });
    stage.events.emit({ type: 'account-connected', appId: 'com.example.other', accountId: 'notes' });
    await until(frame, 'told.length === 3');
    expect(await frame.evaluate('told')).toEqual(['light new', 'light new', 'accounts']);
    await panel.close('closed');
    expect(await reason).toBe('closed');
    await expect.poll(() => stage.page.locator(`iframe[src="${panel.frame.address}"]`).count()).toBe(0);
  });

  it('accepts a port only from its parent window, even if another panel offers one', async () => {
    const hostile = await stage.show(panelApp({ id: 'com.example.hostile' }), panelFiles(''));
    const waiting = `import { connectPanel } from './connect-panel.js';
      await new Promise((settled) => { globalThis.begin = settled; });
      globalThis.host = await connectPanel(); document.body.dataset.ready = 'yes';`;
    const { frame } = await stage.show(panelApp(), panelFiles(waiting));
    await until(frame, 'globalThis.begin');
    // Repeatedly, so that this port arrives before the answer of the parent window.
    await hostile.frame.evaluate(`(() => {
      globalThis.stolen = [];
      setInterval(() => {
        for (let i = 0; i < top.length; i += 1) {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = ({ data }) => stolen.push(data);
          const panel = top[i][0];
          if (panel !== self) panel.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/port' }, '*', [port2]);
        }
      }, 1);
    })()`);
    await frame.evaluate('begin()');
    await frame.waitForSelector('[data-ready]', { state: 'attached' });
    expect(await frame.evaluate('host.context.app.id')).toBe('com.example.notes');
    expect(await hostile.frame.evaluate('stolen')).toEqual([]);
  });
});
