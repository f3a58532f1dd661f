import { describe, expect, it } from 'vitest';
import { MAX_SLUG, slugOf } from '../../src/account/slug.ts';

describe('the short name that is suggested for a publisher', () => {
  it.each([
    ['Example & Sons', 'example-sons'],
    ['Zoë’s Äpps', 'zoe-s-apps'],
    ['  Harbor  ', 'harbor'],
    ['株式会社', ''],
    ['Кофе 24', '24'],
    ['', ''],
    [`${'a'.repeat(39)} Software`, 'a'.repeat(39)],
    ['a'.repeat(50), 'a'.repeat(MAX_SLUG)],
  ])('is of %j: %j', (name, slug) => {
    expect(slugOf(name)).toBe(slug);
  });
});
