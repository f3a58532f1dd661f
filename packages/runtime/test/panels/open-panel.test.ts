import { describe, expect, it } from 'vitest';
import type { RuntimeEvent } from '../../src/index.ts';
import { panelApp } from '../support/panel-app.ts';
import { openFor, testPanels } from '../support/panels.ts';

const ABOUT = { appId: 'com.example.notes', version: '1.0.0' };
const INITIALIZED = { method: 'ui/notifications/initialized' };

describe('an open panel', () => {
  it('receives nothing before it is initialized', async () => {
    const { panel, say, heard } = await openFor(testPanels());
    panel.change({ theme: 'light' });
    panel.accountsChanged();
    expect(heard).toEqual([]);
    say(INITIALIZED);
    panel.change({ theme: 'dark', view: 'new' });
    panel.accountsChanged();
    expect(heard).toMatchObject([
      { method: 'ui/notifications/host-context-changed', params: { theme: 'dark', panel: { view: 'new' } } },
      { method: 'notifications/accounts/list_changed' },
    ]);
  });

  it('is notified of tool calls of chats, but not of panels', async () => {
    const ended = (appId: string, tool: string, chat: string) =>
      test.events.emit({ type: 'call-ended', appId, tool, callId: tool, chat });
    const test = testPanels({
      async call({ appId }, { tool, chat }) {
        ended(appId, tool, chat);
        return { isError: false, parts: [], structured: null, files: [] };
      },
    });
    const pages = [await openFor(test), await openFor(test)];
    for (const { say } of pages) say(INITIALIZED);
    ended(ABOUT.appId, 'add_note', 'chat-1');
    ended('com.example.other', 'other', 'chat-1');
    const answer = await pages[0]?.ask('tools/call', { name: 'plain' });
    expect(answer?.error).toBeUndefined();
    const told = pages.map(({ heard }) => heard.filter(({ method }) => method !== undefined));
    const once = [{ method: 'notifications/tools/called', params: { tool: 'add_note' } }];
    expect(told).toMatchObject([once, once]);
  });

  it('stays open when its app is switched off in another project', async () => {
    const test = testPanels();
    const page = await openFor(test);
    test.events.emit({ type: 'app-switched', project: 'project-2', ...ABOUT, on: false });
    expect(page.closed).toEqual([]);
    test.events.emit({ type: 'app-switched', project: 'project-1', ...ABOUT, on: false });
    expect(page.closed).toEqual(['switched-off']);
  });

  it('is closed at once when its app is yanked, switched off or removed', async () => {
    const ends: [RuntimeEvent, string][] = [
      [{ type: 'app-yanked', ...ABOUT, reason: 'bad' }, 'yanked'],
      [{ type: 'app-switched', project: null, ...ABOUT, on: false }, 'switched-off'],
      [{ type: 'app-removed', ...ABOUT }, 'removed'],
    ];
    for (const [event, reason] of ends) {
      const test = testPanels();
      const page = await openFor(test);
      const other = await openFor(test, panelApp({ id: 'com.example.other' }));
      page.say(INITIALIZED);
      test.events.emit(event);
      expect(page.closed).toEqual([reason]);
      page.say({ id: 1, method: 'accounts/token', params: { account: 'notes' } });
      expect(page.heard).toEqual([]);
      expect(test.accounts.token).not.toHaveBeenCalled();
      expect(other.closed).toEqual([]);
      expect(test.told).toContainEqual({ type: 'panel-closed', appId: ABOUT.appId, panel: 'main', reason });
    }
  });

  it('stays open when its app is switched on, or another app is yanked', async () => {
    const test = testPanels();
    const page = await openFor(test);
    test.events.emit({ type: 'app-switched', project: null, ...ABOUT, on: true });
    test.events.emit({ type: 'app-yanked', ...ABOUT, appId: 'com.example.other', reason: 'bad' });
    expect(page.closed).toEqual([]);
  });

  it('is notified before the client closes it, and is closed whether it answers or not', async () => {
    const test = testPanels();
    const [answers, silent] = [await openFor(test), await openFor(test)];
    for (const page of [answers, silent]) page.say(INITIALIZED);
    const closed = Promise.all([answers.panel.close('closed'), silent.panel.close('closed')]);
    expect(answers.heard).toMatchObject([{ method: 'ui/resource-teardown', params: { reason: 'closed' } }]);
    expect(answers.closed).toEqual([]);
    answers.say({ id: answers.heard[0]?.id, result: {} });
    await closed;
    expect([answers.closed, silent.closed]).toEqual([['closed'], ['closed']]);
    await answers.panel.close('closed');
    expect(answers.closed).toEqual(['closed']);
  });

  it('is closed for a yank while it is notified of its end', async () => {
    const test = testPanels({
      system: { now: () => 0, randomBytes: (n) => new Uint8Array(n), sleep: () => new Promise(() => {}) },
    });
    const page = await openFor(test);
    page.say(INITIALIZED);
    const closing = page.panel.close('closed');
    test.events.emit({ type: 'app-yanked', ...ABOUT, reason: 'bad' });
    await closing;
    expect(page.closed).toEqual(['yanked']);
  });

  it('is not opened for an app that is off or yanked, or that may no longer run while it opens', async () => {
    const open = (test = testPanels(), app = panelApp()) =>
      test.panels.open(app, 'main', { theme: 'dark', locale: 'en' });
    const off = { ...panelApp(), on: false };
    const yanked = {
      ...panelApp(),
      yanked: { reason: 'bad', at: '2026-01-01T00:00:00.000Z', comesBack: true },
    };
    await expect(open(testPanels(), off)).rejects.toMatchObject({ code: 'switched-off' });
    await expect(open(testPanels(), yanked)).rejects.toMatchObject({ code: 'yanked' });
    let runs = true;
    const test = testPanels({
      mayRun: () => runs,
      bundleFiles: async () => {
        runs = false;
        return new Map([['ui/index.html', new Uint8Array()]]);
      },
    });
    await expect(open(test)).rejects.toMatchObject({ code: 'switched-off' });
    expect(test.told).toEqual([]);
  });

  it.each([
    ['no such panel', 'other', 'ui/index.html'],
    ['an entry that does not exist', 'main', 'ui/none.html'],
    ['an entry outside of the served folders', 'main', 'README.html'],
    ['an entry that is not a page', 'main', 'ui/a b.js'],
  ])('is not opened for %s', async (_what, id, entry) => {
    const { panels } = testPanels();
    const app = panelApp({
      contributes: { panels: [{ id: 'main', title: 'Main', component: 'webview', config: { entry } }] },
    });
    await expect(panels.open(app, id, { theme: 'dark', locale: 'en' })).rejects.toMatchObject({
      code: 'unknown-panel',
    });
  });

  it('is one of at most 64', async () => {
    const test = testPanels();
    const all = await Promise.all(Array.from({ length: 64 }, () => openFor(test)));
    await expect(openFor(test)).rejects.toMatchObject({ code: 'too-many' });
    await all[0]?.panel.close('gone');
    await openFor(test);
    await test.panels.end();
    expect(all.slice(1).every(({ closed }) => closed.length === 1)).toBe(true);
    await expect(openFor(test)).rejects.toMatchObject({ code: 'switched-off' });
  });
});
