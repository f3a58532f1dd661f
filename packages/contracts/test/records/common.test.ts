import { describe, expect, it } from 'vitest';
import { Note, PublisherSlug, Sha256, Signature, Timestamp } from '../../src/index.ts';

describe('common fields', () => {
  it.each(['2026-01-02T03:04:05.678Z'])('accepts the time %s', (time) => {
    expect(Timestamp.safeParse(time).success).toBe(true);
  });

  it.each([
    '2026-01-02',
    '2026-01-02T03:04:05Z',
    '2026-01-02T03:04:05.678+01:00',
    '2026-02-30T00:00:00.000Z',
  ])('refuses the time %s', (time) => {
    expect(Timestamp.safeParse(time).success).toBe(false);
  });

  it('accepts only one spelling of a hash or signature', () => {
    expect(Sha256.safeParse('0'.repeat(64)).success).toBe(true);
    expect(Sha256.safeParse('A'.repeat(64)).success).toBe(false);
    expect(Signature.safeParse(Buffer.alloc(64).toString('base64')).success).toBe(true);
    expect(Signature.safeParse(Buffer.alloc(63).toString('base64')).success).toBe(false);
  });

  it.each(['a', 'a-b', '0', 'a'.repeat(40)])('accepts the slug %s', (slug) => {
    expect(PublisherSlug.safeParse(slug).success).toBe(true);
  });

  it.each(['', '-a', 'a-', 'A', 'a_b', 'ä', 'a'.repeat(41), 'a/b'])('refuses the slug %j', (slug) => {
    expect(PublisherSlug.safeParse(slug).success).toBe(false);
  });

  it('accepts only notes that can be signed', () => {
    expect(Note.parse(' Broken. 😀 ')).toBe('Broken. 😀');
    for (const text of ['', '  ', 'x'.repeat(2_001), 'a \ud800 b', '\udc00'])
      expect(Note.safeParse(text).success).toBe(false);
  });
});
