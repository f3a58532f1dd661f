import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { createMediaApp } from '../../src/built-in/media-app.ts';
import { photograph } from '../support/pictures.ts';
import { realSystem } from '../support/real-system.ts';
import { refused } from '../support/refused.ts';
import { openClient } from '../support/runtime-world.ts';
import { startSigningStore } from '../support/signing-store.ts';

const WHERE = { project: 'project-1', chat: 'chat-1' };

const openWithMedia = (options = {}) => openClient({ builtIn: [createMediaApp(realSystem)], ...options });

describe('the built-in app for media', () => {
  it('has its tools and its icon, and resizes a picture', async () => {
    const { runtime } = await openWithMedia();
    const { tools } = runtime.toolsNow('media', { project: 'project-1' });
    expect(tools.map(({ id }) => id)).toEqual(['resize', 'crop', 'convert', 'compress', 'trim']);
    expect(tools[0]?.inputSchema).toMatchObject({ properties: { width: { type: 'integer' } } });
    expect(await runtime.tools('media', { project: 'project-1' })).toEqual(tools);

    const icon = (await runtime.library.files('media')).get('assets/icon.svg');
    expect(Buffer.from(icon ?? []).toString()).toMatch(/^<svg [^>]*viewBox/);

    const photo = { name: 'holiday.jpg', bytes: await photograph() };
    const call = { tool: 'resize', arguments: { width: 100 }, files: { file: [photo] }, ...WHERE };
    const { files } = await runtime.call('media', call);
    expect(files).toMatchObject([{ name: 'holiday.jpg', type: 'image/jpeg' }]);
    const made = await readFile(files[0]?.path ?? '');
    expect((await sharp(made).metadata()).width).toBe(100);
  });

  it.each([
    ['resize', { width: 0 }, 'invalid-arguments'],
    ['convert', {}, 'invalid-arguments'],
    ['convert', { format: 'exe' }, 'invalid-arguments'],
    ['constructor', {}, 'unknown-tool'],
    ['trim', { end: 1 }, 'media-failed'],
  ] as const)('refuses %s with %j', async (tool, args, code) => {
    const { runtime } = await openWithMedia();
    const files = { file: [{ name: 'a.jpg', bytes: await photograph() }] };
    await expect(runtime.call('media', { tool, arguments: args, files, ...WHERE })).rejects.toEqual(
      refused(code),
    );
  });

  it('is switched like other apps, cannot be removed, and is missing in a client that does not include it', async () => {
    const { runtime, folder } = await openWithMedia();
    runtime.library.switch('media', false, 'project-1');
    expect(() => runtime.toolsNow('media', { project: 'project-1' })).toThrow(
      expect.objectContaining({ code: 'switched-off' }),
    );
    expect(runtime.toolsNow('media', { project: 'project-2' }).tools).toHaveLength(5);
    await expect(runtime.remove('media')).rejects.toEqual(refused('not-installed'));
    const other = await openClient({ folder });
    expect(other.runtime.library.list()).toEqual([]);
    expect(other.runtime.library.get('media')).toBeNull();
    const again = await openWithMedia({ folder });
    expect(again.runtime.library.get('media', 'project-1')?.on).toBe(false);
  });

  it('fulfils the requirement of apps that depend on it', async () => {
    const store = await startSigningStore();
    const requires = { apps: [{ id: 'media', reason: 'Makes pictures smaller.' }] };
    store.publish({ requires });
    const install = async ({ runtime }: Awaited<ReturnType<typeof openClient>>) => {
      const sheet = await runtime.installer.prepareInstall('com.example.notes');
      await runtime.installer.install(sheet, { accepted: true, binding: sheet.binding });
      return runtime;
    };
    const without = await install(await openClient({ store: store.url }));
    expect(() => without.library.requireUsable('com.example.notes', 'project-1')).toThrow(
      expect.objectContaining({ code: 'requirement-missing' }),
    );
    const having = await install(await openWithMedia({ store: store.url }));
    expect(having.library.requireUsable('com.example.notes', 'project-1').on).toBe(true);
    having.library.switch('media', false);
    expect(() => having.library.requireUsable('com.example.notes', 'project-1')).toThrow(
      expect.objectContaining({ code: 'requirement-missing' }),
    );
  });
});
