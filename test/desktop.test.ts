import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Answer, defaultSystem } from '@svc/runtime';
import { DEEP } from '@svc/testkit';
import { expect, it } from 'vitest';
import type { DesktopEvent } from '../apps/desktop/src/wire/events.ts';
import { tempFolder } from '../apps/desktop/test/support/temp-folder.ts';
import { openPage, openTestDesktop } from '../apps/desktop/test/support/test-desktop.ts';
import { photograph } from '../packages/runtime/test/support/pictures.ts';
import { APP, startServers, startStore } from './support/notes-app.ts';
import { browserOn } from './support/persons-browser.ts';

/** Skips the one-second poll interval of the store's relay. */
const system = {
  ...defaultSystem,
  sleep: (ms: number, signal?: AbortSignal) => defaultSystem.sleep(ms === 1000 ? 5 : ms, signal),
};

/** Timeout for a busy machine. */

type Of<Type extends DesktopEvent['type']> = Extract<DesktopEvent, { type: Type }>;

it(
  'a user finds an app, installs it, connects, approves a call, keeps the result, and loses the app when it is yanked',
  DEEP,
  async () => {
    const [store, servers] = await Promise.all([startStore(), startServers()]);
    await store.publish({});
    const desktop = await openTestDesktop({
      store: store.url,
      system,
      connecting: servers.connecting,
      openPage: browserOn(servers.connecting),
    });
    const page = await openPage(desktop);
    const heard = await page.listen();
    const told = <Type extends DesktopEvent['type']>(type: Type) =>
      heard.filter((event): event is Of<Type> => event.type === type);
    const answered = new Set<string>();
    const answerNext = async (kind: string, accept = true) => {
      const waiting = () =>
        told('card')
          .map(({ card }) => card)
          .find(({ id, card }) => card.kind === kind && !answered.has(id));
      await expect.poll(waiting).toBeDefined();
      const { id, card } = waiting() ?? expect.fail();
      answered.add(id);
      const answer: Answer = accept
        ? { accepted: true, ...('binding' in card && { binding: card.binding }) }
        : { accepted: false };
      expect((await page.call('cards.answer', { cardId: id, answer })).status).toBe(200);
      return card;
    };

    const found = await page.call('store.search', { q: 'notes' });
    expect(found.body.apps).toMatchObject([{ appId: APP }]);
    expect((await page.call('store.app', { appId: APP })).body.version).toBe('1.0.0');
    const { sheet, sheetId } = (await page.call('store.prepare', { appId: APP })).body;
    const wrong = await page.call('store.install', {
      sheetId,
      answer: { accepted: true, binding: 'another' },
    });
    expect(wrong.body.code).toBe('consent-needed');
    // A card is answered once, by the page that shows it.
    const again = (await page.call('store.prepare', { appId: APP })).body;
    const yes = { accepted: true, binding: again.sheet.binding } as const;
    expect(again.sheet.binding).toBe(sheet.binding);
    const stranger = await openPage(desktop);
    expect((await stranger.call('store.install', { sheetId: again.sheetId, answer: yes })).status).toBe(404);
    const installed = await page.call('store.install', { sheetId: again.sheetId, answer: yes });
    expect(installed.body.app).toMatchObject({
      appId: APP,
      source: { kind: 'store' },
      on: true,
      obstacle: null,
    });

    const folder = await tempFolder();
    const { project } = (await page.call('projects.add', { name: 'Shore', folder })).body;
    const inProject = { appId: APP, project: project.id };
    await page.call('apps.switch', { appId: APP, on: false });
    await page.call('apps.switch', { ...inProject, on: true });
    const onIn = async (id: string) =>
      (await page.call('apps.list', { project: id })).body.apps.map(({ on }) => on);
    expect([await onIn('project-1'), await onIn(project.id)]).toEqual([[false], [true]]);

    // The server advertises its authorization server: the host is shown before the browser opens.
    const connecting = page.call('accounts.connect', { appId: APP, accountId: 'notes' });
    expect(await answerNext('connect')).toMatchObject({ account: { id: 'notes' }, host: expect.any(String) });
    expect((await connecting).status).toBe(200);
    expect((await page.call('accounts.list', { appId: APP })).body.accounts).toMatchObject([
      { connected: true },
    ]);

    const upload = (await page.upload('shore.jpeg', await photograph('jpeg'))).json() as { id: string };
    const call = (callId: string) =>
      page.call('tools.call', {
        ...inProject,
        callId,
        tool: 'attach',
        arguments: { note: 'n-1', password: 'hunter2' },
        files: { picture: [upload.id] },
      });
    const declined = call('call-1');
    await answerNext('approval', false);
    expect((await declined).body).toMatchObject({ outcome: 'refused', code: 'declined' });
    const calling = call('call-2');
    expect(await answerNext('approval')).toMatchObject({
      title: 'Attach 1 picture?',
      files: [{ type: 'image/png' }],
    });
    const { body: result } = await calling;
    const kept =
      result.outcome === 'answered' ? result.parts.find((part) => part.type === 'file') : undefined;
    const file = kept?.type === 'file' ? kept.file : expect.fail();
    expect(JSON.stringify(result)).not.toContain(desktop.folder);

    const answer = await page.get(`/files/${file.id}`);
    expect(createHash('sha256').update(answer.body).digest('hex')).toBe(file.sha256);
    expect(answer.headers).toMatchObject({
      'content-disposition': expect.stringMatching(/^attachment; filename/),
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
    });
    expect((await stranger.get(`/files/${file.id}`)).status).toBe(422);
    const other = { fileId: file.id, ...inProject, appId: 'com.example.other', path: 'shore.png' };
    expect((await page.call('tools.saveFile', other)).body.code).toBe('unknown-file');
    const saving = page.call('tools.saveFile', { ...other, appId: APP });
    expect(await answerNext('save')).toMatchObject({ path: 'shore.png', replaces: false });
    expect((await saving).status).toBe(200);
    expect(await readFile(path.join(folder, 'shore.png'))).toEqual(answer.body);

    // The record of a call contains neither token nor password.
    const [token = ''] = servers.mcp
      .headersOf('tools/call')
      .map(({ authorization = '' }) => authorization.slice(7));
    expect(token).not.toBe('');
    expect(told('call-log')).toMatchObject([
      { outcome: 'declined' },
      { outcome: 'answered', asker: 'desktop', tool: 'attach' },
    ]);
    expect(JSON.stringify(heard)).not.toContain(token);
    expect(JSON.stringify(told('call-log'))).not.toContain('hunter2');

    const shown = { ...inProject, panelId: 'main', theme: 'light', locale: 'en' } as const;
    const panel = (await page.call('panels.open', shown)).body;
    const frame = await fetch(panel.frame.address.replace(/\/\/[^/:]+/, '//127.0.0.1'), {});
    // Only under its own host name.
    expect(frame.status).toBe(421);
    const stopped = page.call('tools.call', {
      ...inProject,
      callId: 'call-3',
      tool: 'wait',
      arguments: {},
      files: {},
    });
    await expect.poll(() => servers.waiting.length).toBe(1);
    await page.call('tools.stop', { callId: 'call-3' });
    expect((await stopped).body).toMatchObject({ outcome: 'refused', code: 'declined' });

    // An update with another icon asks, with old and new from the verified bundles.
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><path d="M0 0h9v512z"/></svg>';
    await store.publish(
      {
        version: '1.1.0',
        name: 'Other Notes',
        branding: { icon: 'assets/new.svg', mark: 'assets/mark.svg' },
      },
      { 'assets/new.svg': svg },
    );
    const updating = page.call('apps.update', {});
    const asked = await answerNext('consent', false);
    const { widened, pictures } = asked.kind === 'consent' ? asked : expect.fail();
    expect(widened?.changes.map(({ path: changed }) => changed)).toEqual(['/branding/icon', '/name']);
    const icons = [pictures.before, pictures.after].map((of) => of ?? expect.fail());
    const drawn: string[] = [];
    for (const { sha256, icon } of icons) {
      const shown = await page.get(`/pictures/${sha256}/${encodeURIComponent(icon)}`);
      drawn.push(shown.body.toString('base64'));
      // Drawn on this computer: the bytes of the bundle stay out of the page.
      expect(shown.body.subarray(1, 4).toString()).toBe('PNG');
      expect(shown.headers['content-security-policy']).toContain('sandbox');
      expect((await page.get(`/pictures/${sha256}/plugin.json`)).status).toBe(404);
    }
    expect(drawn[0]).not.toBe(drawn[1]);
    expect((await updating).body.outcomes).toMatchObject([{ outcome: 'declined', to: '1.1.0' }]);

    await store.yank('1.0.0');
    expect((await page.call('apps.checkRevocations', {})).body).toMatchObject({
      refused: null,
      stale: false,
    });
    await expect.poll(() => told('runtime').map(({ event }) => event.type)).toContain('app-yanked');
    await expect.poll(() => told('panel-closed')).toMatchObject([{ panel: panel.panel, reason: 'yanked' }]);
    const [app] = (await page.call('apps.list', { project: project.id })).body.apps;
    expect(app).toMatchObject({ on: false, yanked: { reason: 'It lost notes.' } });

    // Without the store, installed apps can still be viewed and removed.
    await store.stop();
    expect((await page.call('store.search', {})).body.code).toBe('store-unreachable');
    expect((await page.call('apps.remove', { appId: APP })).body.accounts).toEqual([
      { id: 'notes', revoked: true },
    ]);
    expect((await page.get(`/files/${file.id}`)).status).toBe(422);
  },
);
