import { randomBytes } from 'node:crypto';
import { anyText } from '@svc/testkit/any-text';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openEntry, sealEntry } from '../../src/platform/seal-entry.ts';

it('a sealed entry opens with its state, and with no other', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), anyText(), (state, other, text) => {
      const sealed = sealEntry(state, text, randomBytes);
      expect(openEntry(state, sealed)).toBe(text.toWellFormed());
      if (other !== state) expect(() => openEntry(other, sealed)).toThrow();
    }),
  );
});

it('a sealed entry with a flipped bit does not open', () => {
  const bytes = Buffer.from(sealEntry('state', 'c0de', randomBytes), 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const turned = Buffer.from(bytes);
    turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(() => openEntry('state', turned.toString('base64url'))).toThrow();
  }
});
