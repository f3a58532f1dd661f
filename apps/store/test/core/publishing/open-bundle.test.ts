import { packBundle } from '@svc/bundle';
import { sampleBundle, sampleFiles, sampleManifest } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { inspectionMs, openUpload } from '../../../src/core/publishing/open-bundle.ts';

const RULES = { reservedNames: [], localApps: false };
const look = (bytes: Uint8Array, mostMs = Number.POSITIVE_INFINITY) => openUpload(bytes, RULES, mostMs);
const packed = (manifest: unknown, files = {}) => packBundle(sampleFiles(manifest, files));

describe('an opened bundle', () => {
  it('has a claim with publisher, id and version', () => {
    expect(look(sampleBundle())).toMatchObject({
      is: 'opened',
      claim: { publisher: 'example', id: 'com.example.notes', version: '1.0.0' },
    });
  });

  it.each([
    [{ id: 'Notes' }, { id: null }],
    [{ id: 7 }, { id: null }],
    [{ version: 'one' }, { version: null }],
    [{ version: 'v1.0.0' }, { version: 'v1.0.0' }],
    [{ version: ['1.0.0'] }, { version: null }],
  ])('has no claim for malformed fields, which the inspection reports: %j', (changes, claim) => {
    expect(look(packed({ ...sampleManifest(), ...changes }))).toMatchObject({ is: 'opened', claim });
  });

  it.each([undefined, null, '', 7, ['example'], 'x'.repeat(41)])(
    'is refused with all errors of its manifest when its publisher is %j',
    (publisher) => {
      const opening = look(packed({ ...sampleManifest(), publisher, name: '', permissions: [] }));
      const codes = opening.is === 'refused' ? opening.issues.map(({ code }) => code) : [];
      expect(codes).toEqual(
        expect.arrayContaining(['publisher.missing', 'name.missing', 'permissions.empty']),
      );
    },
  );

  it('is refused with the place of the error when its manifest is not JSON', () => {
    expect(look(packBundle(sampleFiles('x', { 'plugin.json': '{"id": 5' })))).toMatchObject({
      ...{ is: 'refused', code: 'validation_failed' },
      issues: [{ code: 'bundle.manifest.json' }],
    });
  });

  it('may name a publisher of 40 characters', () => {
    const publisher = 'x'.repeat(40);
    expect(look(packed({ ...sampleManifest(), publisher }))).toMatchObject({ claim: { publisher } });
  });

  it.each([null, 'text', [], 7])('is refused when its manifest is %j', (manifest) => {
    expect(look(packed(manifest))).toMatchObject({ is: 'refused', code: 'validation_failed' });
  });

  it('may have a server on this machine only in a store for local apps', () => {
    const manifest = { ...sampleManifest(), publisher: '', remote: { mcpUrl: 'http://localhost:4000/mcp' } };
    const codes = (localApps: boolean) => {
      const opening = openUpload(packed(manifest), { ...RULES, localApps }, 1_000);
      return opening.is === 'refused' ? opening.issues.map(({ code }) => code) : [];
    };
    expect(codes(false)).toContain('remote.url');
    expect(codes(true)).not.toContain('remote.url');
  });

  it('is refused as no valid zip when the bytes of its manifest are damaged', () => {
    const bytes = packed(sampleManifest());
    const at = Buffer.from(bytes).indexOf('plugin.json') + 'plugin.json'.length + 4;
    const damaged = Buffer.from(bytes).with(at, (bytes[at] ?? 0) ^ 0xff);
    expect(look(damaged)).toMatchObject({ is: 'refused', code: 'invalid_bundle' });
  });

  it('is inflated only for its manifest', () => {
    const bytes = Buffer.from(sampleBundle({}, { 'ui/a.js': 'let a = 1;'.repeat(1_000) }));
    // In the middle of the compressed bytes of the script.
    const at = bytes.lastIndexOf('ui/a.js', bytes.byteLength - 200);
    const broken = bytes.with(at + 20, (bytes[at + 20] ?? 0) ^ 0xff);
    expect(look(broken)).toEqual(look(bytes));
  });
});

describe('the expected cost of a bundle', () => {
  const costOf = (files: Record<string, string>, manifest: object = {}) => {
    const opening = look(packed({ ...sampleManifest(), ...manifest }, files));
    return opening.is === 'opened' ? opening.costMs : Number.NaN;
  };

  it('is low for a small app, and grows with scripts, pictures, the manifest and the number of files', () => {
    const { branding } = sampleManifest();
    const withFile = (path: string, size: number) => inspectionMs(new Map([[path, size]]), { branding });
    expect(costOf({})).toBeLessThan(20);
    expect(withFile('ui/a.js', 1e6)).toBeGreaterThan(50);
    expect(withFile('ui/a.html', 1e6)).toBeGreaterThan(50);
    expect(withFile('ui/a.txt', 1e6)).toBeLessThan(10);
    expect(withFile('assets/mark.svg', 1e6)).toBeGreaterThan(400);
    expect(withFile('plugin.json', 5e5)).toBeGreaterThan(300);
    const many = Array.from({ length: 500 }, (_, n) => [`ui/${n}.txt`, 1] as const);
    expect(inspectionMs(new Map(many), {})).toBeGreaterThan(90);
  });

  it('assumes that a picture is an SVG, whatever its file name', () => {
    const branding = { icon: 'assets/icon.png', mark: 'assets/mark.bin' };
    expect(costOf({ 'assets/mark.bin': 'x'.repeat(1e6) }, { branding })).toBeGreaterThan(400);
    // A picture that is too large is rejected without being read.
    expect(inspectionMs(new Map([['assets/mark.bin', 2e6]]), { branding })).toBeLessThan(20);
  });

  it('is checked before it arises: a long list of entries or a large manifest is not read', () => {
    const long = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [`ui/${'folder/'.repeat(40)}${n}.txt`, 'x']),
    );
    expect(look(packed(sampleManifest(), long), 10)).toMatchObject({ is: 'costly' });
    expect(look(packed({ notes: 'x'.repeat(1e5) }), 30)).toMatchObject({ is: 'costly' });
    expect(look(sampleBundle(), 30)).toMatchObject({ is: 'opened' });
  });

  it('is known before the list of entries and before the manifest is read, and allowed at the limit', () => {
    const costAt = (mostMs: number) => {
      const opening = look(sampleBundle(), mostMs);
      return opening.is === 'costly' ? opening.costMs : Number.NaN;
    };
    const list = costAt(0);
    const manifest = costAt(list);
    expect(manifest).toBeGreaterThan(list);
    expect(look(sampleBundle(), manifest)).toMatchObject({ is: 'opened' });
    const broken = Buffer.from(sampleBundle()).fill(0, 0, 4);
    expect([look(broken, 0).is, look(broken, list).is]).toEqual(['costly', 'refused']);
  });
});
