import { describe, expect, it, vi } from 'vitest';
import { PLACEHOLDER } from '../../../src/core/pictures/rasters.ts';
import { createPreviews } from '../../../src/extensions/storefront/previews.ts';
import type { Drawing, Preview } from '../../../src/platform/picture-renderer.ts';
import { UnavailableError } from '../../../src/platform/unavailable-error.ts';

const ICON = { path: 'assets/icon.png', sha256: 'a'.repeat(64), type: 'image/png', size: 1 };
const PUBLISHER = { name: 'Acme', slug: 'acme' };
const PARTY = { account: 'n', network: 'n' };

function previewsWith({
  name = 'My store',
  icon = Uint8Array.of(7),
  accent = '#0b6b57',
  drawing = { ok: true, png: Uint8Array.of(1), look: null },
}: {
  name?: string;
  icon?: Uint8Array;
  accent?: string;
  drawing?: Drawing;
} = {}) {
  const kept = new Map<string, Uint8Array>();
  const drawPreview = vi.fn(async (_preview: Preview) => drawing);
  const previews = createPreviews({
    renderer: { draw: async () => ({ ok: true, png: Uint8Array.of(9), look: null }), drawPreview },
    cache: {
      get: async (hash) => kept.get(hash) ?? null,
      put: async (hash, png) => void kept.set(hash, png),
    },
    rasters: { rasterOf: async () => icon },
    limits: { active: 1, waiting: 1, perNetwork: { active: 1, waiting: 1 } },
    store: () => ({
      name,
      host: 'apps.example',
      accent,
      logo: { name: '/logo.png', bytes: Uint8Array.of(2) },
    }),
  });
  const app = (appName: string, publisher = PUBLISHER) =>
    previews.ofApp({ appId: 'com.acme.notes', name: appName, icon: ICON }, publisher);
  return { previews, drawPreview, kept, app };
}

describe('the content of a link preview', () => {
  it('is the icon, name and publisher of an app, and the name of the store', async () => {
    const { app, drawPreview } = previewsWith();
    await app('Notes').png(PARTY);
    expect(drawPreview.mock.calls).toEqual([
      [{ picture: Uint8Array.of(7), title: 'Notes', subtitle: 'Acme', foot: 'My store', accent: '#0b6b57' }],
    ]);
  });

  it('has ids instead of names that the font cannot draw', async () => {
    const { app, previews, drawPreview } = previewsWith({ name: '私の店' });
    await app('東京ガイド', { name: 'サクラ', slug: 'sakura' }).png(PARTY);
    await previews.ofPublisher({ name: 'サクラ', slug: 'sakura', verifiedHost: 'sakura.example' }).png(PARTY);
    await previews.ofStore('Apps').png(PARTY);
    expect(drawPreview.mock.calls.map(([{ picture: _picture, accent: _accent, ...texts }]) => texts)).toEqual(
      [
        { title: 'com.acme.notes', subtitle: 'sakura', foot: 'apps.example' },
        { title: 'sakura', subtitle: 'sakura.example', foot: 'apps.example' },
        { title: 'apps.example', subtitle: 'Apps', foot: 'apps.example' },
      ],
    );
  });

  it('changes its hash when any part changes', () => {
    const { app, previews } = previewsWith();
    const other = previews.ofApp(
      { appId: 'com.acme.notes', name: 'Notes', icon: { ...ICON, sha256: 'b'.repeat(64) } },
      PUBLISHER,
    );
    const red = previewsWith({ accent: '#b00020' }).app('Notes');
    const all = [app('Notes'), app('Letters'), app('Notes', { name: 'Other', slug: 'acme' }), other, red];
    expect(new Set(all.map(({ hash }) => hash)).size).toBe(5);
    expect(app('Notes').hash).toBe(app('Notes').hash);
  });
});

describe('drawing a link preview', () => {
  it('is done once for concurrent requests, and cached', async () => {
    const { app, drawPreview, kept } = previewsWith();
    await Promise.all(Array.from({ length: 20 }, () => app('Notes').png(PARTY)));
    await app('Notes').png(PARTY);
    expect(drawPreview).toHaveBeenCalledTimes(1);
    expect([...kept.keys()]).toEqual([app('Notes').hash]);
  });

  it('is refused when too many previews wait', async () => {
    const { app } = previewsWith();
    const all = await Promise.allSettled(['A', 'B', 'C', 'D'].map((name) => app(name).png(PARTY)));
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
    expect(all[3]).toMatchObject({ reason: { code: 'rate_limited' } });
  });

  it('fails without an icon that can be shown, and caches nothing', async () => {
    // The same bytes in another buffer, like those read from disk.
    const { app, kept, drawPreview } = previewsWith({ icon: Uint8Array.from(PLACEHOLDER) });
    for (let n = 0; n < 2; n += 1)
      await expect(app('Notes').png(PARTY)).rejects.toBeInstanceOf(UnavailableError);
    expect([kept.size, drawPreview.mock.calls.length]).toEqual([0, 0]);
  });

  it('fails when drawing exceeds its limits, and caches nothing', async () => {
    const { app, kept } = previewsWith({ drawing: { ok: false, why: 'it takes too much' } });
    await expect(app('Notes').png(PARTY)).rejects.toBeInstanceOf(UnavailableError);
    expect(kept.size).toBe(0);
  });
});
