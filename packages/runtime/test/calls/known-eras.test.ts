import { expect, it } from 'vitest';
import { createKnownEras } from '../../src/calls/known-eras.ts';

it('remembers each server for a day, and only the latest 500 servers', () => {
  let now = 0;
  const known = createKnownEras({ now: () => now });
  expect(known.of('https://a.example/')).toBeNull();
  known.record('https://a.example/', 'legacy');
  expect(known.of('https://a.example/')).toBe('legacy');
  now = 24 * 60 * 60_000;
  expect(known.of('https://a.example/')).toBeNull();
  known.record('https://a.example/', 'modern');
  for (let count = 0; count < 499; count += 1) known.record(`https://b.example/${count}`, 'legacy');
  expect(known.of('https://a.example/')).toBe('modern');
  known.record('https://c.example/', 'legacy');
  expect(known.of('https://a.example/')).toBeNull();
});
