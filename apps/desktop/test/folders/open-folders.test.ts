import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sampleFiles, sampleManifest } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import type { DesktopEvent } from '../../src/wire/events.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { openPage, openTestDesktop } from '../support/test-desktop.ts';

/** A developer's folder with an app in it. */
async function writeApp(
  changes: Parameters<typeof sampleManifest>[0] = {},
  files: Record<string, string> = {},
): Promise<string> {
  const folder = await tempFolder();
  for (const [name, bytes] of sampleFiles(sampleManifest(changes), files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), bytes);
  }
  return folder;
}

describe('folders under development', () => {
  it('are listed as apps, report changes, close outdated panels, and are open again after a restart', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><path d="M0 0h9v9H0z"/></svg>';
    const manifest = {
      branding: { icon: 'assets/icon.svg', mark: 'assets/mark.svg' },
      contributes: { panels: [{ id: 'main', title: 'Notes', component: 'webview' as const }] },
    };
    const app = await writeApp(manifest, {
      'ui/index.html': '<!doctype html><title>Notes</title>',
      'assets/icon.svg': svg,
      'assets/mark.svg': svg.replace('M0 0', 'M1 1'),
    });
    const desktop = await openTestDesktop();
    const page = await openPage(desktop);
    const heard = await page.listen();
    const { body } = await page.call('folders.open', { folder: app });
    expect(body.folder).toMatchObject({ folder: app, appId: 'com.example.notes', fault: null });

    const icon = await page.get('/icons/com.example.notes');
    expect(icon.headers).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
    });
    const mark = await page.get('/marks/com.example.notes');
    expect([mark.headers['content-type'], mark.body.subarray(1, 4).toString()]).toEqual(['image/png', 'PNG']);
    const shown = { project: 'project-1', theme: 'dark', locale: 'en' } as const;
    const panel = await page.call('panels.open', { appId: 'com.example.notes', panelId: 'main', ...shown });
    expect(panel.body.frame.origin).toMatch(/^http:\/\/[\w-]+\.localhost:\d+$/);
    // Only the page that opened a panel may send to it.
    const other = await openPage(desktop);
    expect((await other.call('panels.send', { panel: panel.body.panel, text: '{}' })).body.code).toBe(
      'unknown-panel',
    );

    await writeFile(path.join(app, 'ui', 'index.html'), '<!doctype html><title>Changed</title>');
    const has = (wanted: Partial<DesktopEvent>) => () =>
      heard.some((event) =>
        Object.entries(wanted).every(([name, value]) => event[name as keyof DesktopEvent] === value),
      );
    await expect
      .poll(has({ type: 'panel-closed', panel: panel.body.panel } as Partial<DesktopEvent>))
      .toBe(true);
    await expect.poll(has({ type: 'folder' })).toBe(true);

    await desktop.opened.close();
    const again = await openTestDesktop({ folder: desktop.folder });
    expect(again.opened.folders.list()).toMatchObject([{ folder: app, appId: 'com.example.notes' }]);
    const later = await openPage(again);
    await later.call('folders.close', { folder: app });
    expect((await later.call('apps.list', { project: 'project-1' })).body.apps).toEqual([]);
  });

  it('accept values only for settings that the app declares', async () => {
    const settings = [
      { id: 'tone', label: 'Tone', type: 'select' as const, options: ['dry', 'warm'], default: 'dry' },
      { id: 'count', label: 'Count', type: 'number' as const },
    ];
    const app = await writeApp({ contributes: { tools: [], settings } });
    const page = await openPage(await openTestDesktop());
    expect((await page.call('folders.open', { folder: app })).body.folder.issues).toEqual([]);
    const appId = 'com.example.notes';
    expect((await page.call('apps.settings', { appId })).body).toEqual({ values: { tone: 'dry' } });
    await page.call('apps.saveSettings', { appId, values: { tone: 'warm', count: 2 } });
    expect((await page.call('apps.settings', { appId })).body).toEqual({
      values: { tone: 'warm', count: 2 },
    });
    for (const values of [{ tone: 'loud' }, { count: '2' }, { other: true }] as Record<
      string,
      string | number | boolean
    >[])
      expect((await page.call('apps.saveSettings', { appId, values })).status).toBe(400);
  });
});
