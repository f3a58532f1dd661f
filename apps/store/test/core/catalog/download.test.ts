import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sampleBundle } from '@svc/testkit';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

const BASE = '/api/apps/com.example.notes/versions/1.0.0';

async function published(bundle = sampleBundle()) {
  const store = await openTestStore();
  const token = await store.publisherToken();
  await store.upload(token, bundle);
  await store.decide('approve', '1.0.0');
  return store;
}

describe('the files of a version', () => {
  it('are served with the type that their bytes show, and sandboxed', async () => {
    const store = await published();
    const icon = await store.call('GET', `${BASE}/files/assets/icon.png`);
    expect(icon.headers.get('content-type')).toBe('image/png');
    const mark = await store.call('GET', `${BASE}/files/assets/mark.svg`);
    expect(Object.fromEntries(mark.headers)).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=86400, immutable',
    });
  });

  it('are served as PNG with ?raster', async () => {
    const store = await published();
    for (const name of ['icon.png', 'mark.svg']) {
      const answer = await store.call('GET', `${BASE}/files/assets/${name}?raster`);
      expect(answer.headers.get('content-type')).toBe('image/png');
      expect(answer.headers.get('etag')).toMatch(/^"[0-9a-f]{64}"$/);
      const { format, width } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata();
      expect(format).toBe('png');
      expect(width).toBeLessThanOrEqual(1_024);
    }
    expect((await store.call('GET', `${BASE}/files/plugin.json?raster`)).status).toBe(404);
  });

  it('are served as small WebP pictures, drawn at publish and again when they were deleted', async () => {
    const store = await published();
    const drawn = async (name: string) => {
      const answer = await store.call('GET', `${BASE}/files/assets/${name}?raster=192`);
      expect(answer.headers.get('content-type')).toBe('image/webp');
      return sharp(Buffer.from(await answer.arrayBuffer())).metadata();
    };
    expect(await store.filesUnder('rasters')).toHaveLength(4);
    expect(await drawn('icon.png')).toMatchObject({ format: 'webp', width: 192 });
    expect(await store.filesUnder('rasters')).toHaveLength(4);
    await rm(join(store.folder, 'rasters'), { recursive: true });
    expect(await drawn('mark.svg')).toMatchObject({ format: 'webp', width: 192 });
    expect((await store.call('GET', `${BASE}/files/assets/icon.png?raster=191`)).status).toBe(400);
  });

  it('are rendered again when the PNG was deleted', async () => {
    const store = await published();
    await rm(join(store.folder, 'rasters'), { recursive: true });
    const answer = await store.call('GET', `${BASE}/files/assets/mark.svg?raster`);
    expect((await sharp(Buffer.from(await answer.arrayBuffer())).metadata()).width).toBe(512);
  });

  it('are only the pictures that the branding names', async () => {
    const store = await published(sampleBundle({}, { 'ui/index.html': '<p>x</p>', 'assets/other.png': 'x' }));
    const paths = [
      'plugin.json',
      'README.md',
      'ui/index.html',
      'assets/other.png',
      'assets/',
      '../1.0.0/bundle',
      '..%2f..%2fstore.sqlite',
      'assets/icon.png%00',
      '__proto__',
      'constructor',
    ];
    for (const path of paths) {
      expect([path, (await store.call('GET', `${BASE}/files/${path}`)).status]).toEqual([path, 404]);
    }
  });

  it('cannot be pages or pictures with scripts: their upload is rejected', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    const attacks = [
      '<!doctype html><script>alert(1)</script>',
      '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
    ];
    for (const attack of attacks) {
      const answer = await bodyOf(store.upload(token, sampleBundle({}, { 'assets/mark.svg': attack })));
      expect(answer).toMatchObject({
        httpStatus: 422,
        code: 'validation_failed',
        issues: [{ path: '/branding/mark' }],
      });
    }
  });
});

describe('a file of an unpublished version', () => {
  it.each(['bundle', 'files/assets/icon.png'])(
    'is not found in review and after a rejection: %s',
    async (part) => {
      const store = await openTestStore();
      await store.publish(await store.publisherToken());
      expect(await bodyOf(store.call('GET', `${BASE}/${part}`))).toMatchObject({
        httpStatus: 404,
        code: 'not_found',
      });
      await store.decide('reject', '1.0.0', { note: 'No.' });
      expect(await bodyOf(store.call('GET', `${BASE}/${part}`))).toMatchObject({
        httpStatus: 404,
        code: 'not_found',
      });
    },
  );
});

describe('the bundle', () => {
  it('requires revalidation, and answers 304 for a matching ETag', async () => {
    const store = await published();
    const first = await store.call('GET', `${BASE}/bundle`);
    expect(first.headers.get('content-length')).toBe(String(sampleBundle().byteLength));
    expect(first.headers.get('cache-control')).toBe('public, no-cache');
    const again = await store.call('GET', `${BASE}/bundle`, {
      headers: { 'if-none-match': first.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
    expect(again.headers.get('x-svc-signature')).toBe(first.headers.get('x-svc-signature'));
  });
});
