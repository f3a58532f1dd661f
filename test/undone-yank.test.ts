import { apiRequest } from '@svc/contracts/client';
import { DEEP, sampleBundle } from '@svc/testkit';
import { expect, it } from 'vitest';
import { openPage, openTestDesktop } from '../apps/desktop/test/support/test-desktop.ts';
import { openClient } from '../packages/runtime/test/support/runtime-world.ts';
import { startFilledStore } from './support/filled-store.ts';

const APP = 'com.example.notes';

it(
  'an emergency that is undone puts the apps of a real desktop on again, also those of other processes and after a restart',
  DEEP,
  async () => {
    const { url, automation } = await startFilledStore();
    await automation.publish(sampleBundle({ version: '1.0.0' }));
    const started = await openTestDesktop({ store: url });
    const { folder } = started;
    const page = await openPage(started);
    const { sheet, sheetId } = (await page.call('store.prepare', { appId: APP })).body;
    await page.call('store.install', { sheetId, answer: { accepted: true, binding: sheet.binding } });
    const other = await openClient({ store: url, folder });

    const acts = { yank: true, suspend: true, revokeTokens: false, endSessions: false };
    const emergency = { publisher: 'example', reason: 'It leaked.', advice: [], ...acts };
    const { id } = await automation.ask(apiRequest('POST /api/admin/emergencies', { json: emergency }));
    await page.call('apps.checkRevocations', {});
    await other.runtime.revocations.check();
    const rowOf = async (of: typeof page) =>
      (await of.call('apps.list', { project: 'project-1' })).body.apps.find(({ appId }) => appId === APP);
    expect(await rowOf(page)).toMatchObject({ on: false, yanked: { comesBack: true } });
    expect(() => other.runtime.library.requireUsable(APP)).toThrow(
      expect.objectContaining({ code: 'yanked' }),
    );

    // The desktop is closed when the other process learns that it was undone.
    await started.opened.close();
    await automation.ask(
      apiRequest('POST /api/admin/emergencies/:id/undo', { params: { id }, json: { reason: 'A mistake.' } }),
    );
    await other.runtime.revocations.check();
    expect(other.runtime.library.requireUsable(APP).on).toBe(true);
    expect(other.events).toContainEqual({ type: 'app-restored', appId: APP, version: '1.0.0', on: true });

    const again = await openTestDesktop({ store: url, folder });
    const later = await openPage(again);
    expect(await rowOf(later)).toMatchObject({ on: true, yanked: null, restoredAt: expect.any(String) });
    const yanks = async (of: typeof page) =>
      (await of.call('activity.list', { kind: 'yank' })).body.entries.map(({ name, outcome }) => [
        name,
        outcome,
      ]);
    expect(await yanks(later)).toEqual([
      ['1.0.0', 'restored'],
      ['1.0.0: It leaked.', 'yanked'],
    ]);

    // Each start emits the yanks in force: the log has each once.
    await automation.yank({ appId: APP, version: '1.0.0' }, 'It leaked again.');
    await later.call('apps.checkRevocations', {});
    await later.call('apps.switch', { appId: APP, on: false, project: 'project-1' });
    await again.opened.close();
    const last = await openPage(await openTestDesktop({ store: url, folder }));
    await last.call('apps.checkRevocations', {});
    expect((await yanks(last)).map(([, outcome]) => outcome)).toEqual(['yanked', 'restored', 'yanked']);
    const params = { appId: APP, version: '1.0.0' };
    const reason = { reason: 'Again.' };
    await automation.ask(
      apiRequest('POST /api/admin/apps/:appId/versions/:version/unyank', { params, json: reason }),
    );
    await last.call('apps.checkRevocations', {});
    // The user had switched it off in this project, and not elsewhere.
    expect(await rowOf(last)).toMatchObject({ on: false, yanked: null });
    expect(other.runtime.library.get(APP)?.on).toBe(true);
  },
);
