import { describe, expect, it } from 'vitest';
import { faultOf, hintOf } from '../../../page/src/tools/file-rule.ts';

const RULE = { accept: ['image/*', 'application/pdf'], maxBytes: 10 };

describe('a file argument', () => {
  it('rejects a file that is too large or of another type', () => {
    expect(faultOf({ name: 'a.png', type: 'image/png', size: 10 }, RULE)).toBeNull();
    expect(faultOf({ name: 'a.pdf', type: 'application/pdf', size: 1 }, RULE)).toBeNull();
    expect(faultOf({ name: 'a.png', type: 'image/png', size: 11 }, RULE)).toBe(
      'a.png is larger than 10 bytes.',
    );
    expect(faultOf({ name: 'a.mp3', type: 'audio/mpeg', size: 1 }, RULE)).toMatch(
      /^a\.mp3 is not an accepted type \(image/,
    );
  });

  it('accepts a file that only the desktop can check', () => {
    expect(faultOf({ name: 'x', type: '', size: 1 }, RULE)).toBeNull();
    const yaml = { accept: ['application/yaml'] };
    expect(faultOf({ name: 'a.yml', type: 'application/x-yaml', size: 1 }, yaml)).toBeNull();
    const prepared = { ...RULE, prepare: { op: 'compress' as const, quality: 50 } };
    expect(faultOf({ name: 'a.png', type: 'image/png', size: 1_000 }, prepared)).toBeNull();
  });

  it('describes the files that it accepts', () => {
    expect(hintOf({})).toBe('Drop or choose a file, up to 20.0 MiB.');
    expect(hintOf({ ...RULE, multiple: true })).toContain(
      'Drop or choose files (image/*, application/pdf), up to 10 bytes each',
    );
  });
});
