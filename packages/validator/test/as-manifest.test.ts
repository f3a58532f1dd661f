import { describe, expect, it } from 'vitest';
import { asManifest } from '../src/as-manifest.ts';
import { EXAMPLE_MANIFEST, exampleEntries } from '../src/example.ts';
import { RULES } from '../src/rules/index.ts';
import { validateBundle, validateManifest } from '../src/validate.ts';
import { RICH_MANIFEST } from './rich-manifest.ts';

describe('asManifest', () => {
  it('returns a valid manifest unchanged', () => {
    expect(asManifest(EXAMPLE_MANIFEST)).toEqual(EXAMPLE_MANIFEST);
    expect(asManifest(RICH_MANIFEST)).toEqual(RICH_MANIFEST);
  });

  it('drops unknown fields, and malformed fields that no rule checks', () => {
    const settings = [{ id: 'a', label: 'A', type: 'string' }, { id: 'b' }, 7];
    const loose = {
      ...EXAMPLE_MANIFEST,
      extra: 1,
      author: 7,
      $schema: [],
      contributes: { settings, settingSections: [] },
    };
    expect(validateManifest(loose, { mode: 'store' })).toEqual([]);
    expect(asManifest(loose)).toEqual({
      ...EXAMPLE_MANIFEST,
      contributes: { settings: settings.slice(0, 1) },
    });
  });

  it.each(RULES)('accepts the corrected example of $code', ({ example }) => {
    if (example.mode === 'dev') return;
    const size = 'size' in example.fixed ? { size: example.fixed.size } : {};
    const { manifest } = validateBundle(exampleEntries(example.fixed), { mode: 'store', ...size });
    expect(() => asManifest(manifest)).not.toThrow();
  });

  it('throws for an invalid manifest, which is a bug in the caller', () =>
    expect(() => asManifest({})).toThrow());
});
