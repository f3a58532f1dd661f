import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  mirrorPart,
  mirrorPath,
  readMirrorRoot,
  signExport,
  signMirror,
  verifyExport,
  verifyMirror,
} from '../src/index.ts';
import { bare, chainOf, FIRST, month, SECOND, STRANGER } from './support/key-parts.ts';

const INDEX = Buffer.from('{"apps":[]}');
const CHAIN = chainOf(FIRST, SECOND);
const root = signMirror(INDEX, month(3), CHAIN, SECOND);

describe('the index of a mirror', () => {
  it('is of its bytes, its name, its time and the current key of a trusted store', () => {
    for (const trusted of [[bare(FIRST)], [bare(SECOND)], [bare(FIRST), bare(SECOND)]])
      expect(verifyMirror(INDEX, root, trusted)).toBe(true);
    expect(verifyMirror(Buffer.from('{"apps":[1]}'), root, [bare(SECOND)])).toBe(false);
    const later = { ...root, index: { ...root.index, signedAt: month(4) } };
    expect(verifyMirror(INDEX, later, [bare(SECOND)])).toBe(false);
    expect(verifyMirror(INDEX, signExport(INDEX, month(3), CHAIN, SECOND), [bare(SECOND)])).toBe(false);
  });

  it('is refused where no key is trusted yet: the mirror would choose its own', () => {
    expect(verifyMirror(INDEX, root, [])).toBe(false);
  });

  it('is refused when a foreign key or a retired key signed it', () => {
    const foreign = signMirror(INDEX, month(3), chainOf(STRANGER), STRANGER);
    const retired = signMirror(INDEX, month(3), CHAIN, FIRST);
    for (const forged of [foreign, { ...foreign, keys: CHAIN }, retired])
      expect(verifyMirror(INDEX, forged, [bare(FIRST)])).toBe(false);
  });
});

describe('an export', () => {
  it('names the keys that lead to its signature', () => {
    const signed = signExport(INDEX, month(3), CHAIN, SECOND);
    expect(verifyExport(INDEX, signed, [bare(FIRST)])).toEqual({
      ok: true,
      keys: [bare(FIRST), bare(SECOND)],
    });
    expect(verifyExport(INDEX, root, [bare(FIRST)])).toEqual({
      ok: false,
      message: 'It is not signed by the current key of the store that made it.',
    });
    const foreign = signExport(INDEX, month(3), chainOf(STRANGER), STRANGER);
    expect(verifyExport(INDEX, foreign, [bare(FIRST)])).toMatchObject({
      ok: false,
      message: expect.stringContaining('This may not be the same store.'),
    });
  });
});

it('reads a root, and nothing else', () => {
  expect(readMirrorRoot(JSON.stringify(root))).toEqual(root);
  for (const text of ['', '{', '[]', '{}', JSON.stringify({ ...root, format: 2 })])
    expect(readMirrorRoot(text)).toBeNull();
});

it('names files by their content, and the part of an app by the first 32 bits of its hash', () => {
  const sha256 = createHash('sha256').update('x').digest('hex');
  expect(mirrorPath(sha256, 'bin')).toBe(`objects/2d/${sha256}.bin`);
  expect(mirrorPart('com.example.notes', 16)).toBe(
    Number.parseInt(createHash('sha256').update('com.example.notes').digest('hex').slice(0, 8), 16) % 16,
  );
});
