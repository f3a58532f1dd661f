import { cpuMs } from '@svc/testkit';
import { fixesFor, parseManifest, RULES, validateManifest } from '@svc/validator';
import { describe, expect, it } from 'vitest';
import { applyFixes } from '../../src/manifest-file/apply-fixes.ts';
import { MANIFEST } from '../support/app-folder.ts';

const fix = (text: string | Uint8Array) =>
  applyFixes(typeof text === 'string' ? Buffer.from(text) : text, { mode: 'store' });

const textOf = (patch: Record<string, unknown>) => JSON.stringify({ ...MANIFEST, ...patch }, null, '\t');

describe('fixing', () => {
  it('applies unambiguous fixes, and changes no other character', () => {
    const before = `${textOf({ version: 'v1.2' }).replaceAll('\n', '\r\n')}\r\n`;
    const fixed = fix(before);
    expect(fixed?.fixed).toEqual([
      { code: 'version.format', path: '/version', before: 'v1.2', after: '1.2.0' },
    ]);
    expect(fixed?.text).toBe(before.replace('"v1.2"', '"1.2.0"'));
  });

  it('repeats until there is nothing left to fix', () => {
    const fixed = fix(textOf({ version: 'v1', branding: { icon: './assets/icon.svg', accent: '#ABC' } }));
    const manifest = JSON.parse(fixed?.text ?? '');
    expect(fixesFor(manifest, { mode: 'store' })).toEqual([]);
    expect(validateManifest(manifest, { mode: 'store' })).toEqual([]);
    expect(fixed?.fixed.length).toBeGreaterThan(2);
  });

  it('does not change a valid manifest', () => {
    const text = textOf({});
    expect(fix(text)).toEqual({ text, fixed: [] });
  });

  it('removes a byte order mark', () => {
    const text = textOf({});
    expect(fix(`\ufeff${text}`)).toEqual({
      text,
      fixed: [{ code: 'bundle.manifest.json', path: 'plugin.json', before: '\ufeff', after: undefined }],
    });
  });

  it.each([
    { what: 'JSON with a key twice', text: '{ "version": "v1", "version": "v2" }' },
    { what: 'no JSON', text: '{ "version": "v1", }' },
    { what: 'two byte order marks', text: '\ufeff\ufeff{ "version": "v1" }' },
    { what: 'no UTF-8', text: new Uint8Array([0x7b, 0xff, 0x7d]) },
  ])('does not change $what', ({ text }) => {
    expect(fix(text)).toBeUndefined();
  });

  it('changes nothing when a long key is truncated in the pointer', () => {
    const key = 'k'.repeat(400);
    const files = { [key]: { multiple: 'true' } };
    const tool = { id: 'tidy_up', name: 'Tidy up', description: 'Tidies up.', files };
    const fixed = fix(textOf({ contributes: { tools: [tool] }, grants: ['files:receive'] }));
    expect(JSON.parse(fixed?.text ?? '').contributes.tools[0].files).toEqual(files);
  });

  it('terminates in time with many fixes', () => {
    const categories = Array.from({ length: 90 }, () => ' Media ');
    const start = cpuMs();
    const fixed = fix(textOf({ categories, platforms: Array.from({ length: 90 }, () => 'Linux') }));
    expect(parseManifest(Buffer.from(fixed?.text ?? '')).ok).toBe(true);
    expect(cpuMs() - start).toBeLessThan(10_000);
  });
});

it.each(RULES.map(({ code, example }) => ({ code, example })))(
  'leaves the broken example of $code readable, and never with more errors',
  ({ example }) => {
    const { broken, mode = 'store' } = example;
    const patch = 'size' in broken ? {} : (broken.manifest ?? {});
    const manifest = JSON.parse(textOf(patch));
    const fixed = applyFixes(Buffer.from(textOf(patch)), { mode });
    const after = JSON.parse(fixed?.text ?? '');
    expect(validateManifest(after, { mode }).length).toBeLessThanOrEqual(
      validateManifest(manifest, { mode }).length,
    );
    expect(fixesFor(after, { mode })).toEqual([]);
  },
);
