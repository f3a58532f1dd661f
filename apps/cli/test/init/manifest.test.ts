import { expect, it } from 'vitest';
import { accentOf } from '../../src/init/manifest.ts';

/** Contrast with white (WCAG 2.2, relative luminance). */
function contrastWithWhite(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 1.05 / (0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05);
}

it('returns the same accent colour for an app each time, with enough contrast to white', () => {
  const accents = Array.from({ length: 200 }, (_, index) => accentOf(`com.example.app${index}`));
  expect(accents).toEqual(accents.map((_, index) => accentOf(`com.example.app${index}`)));
  expect(new Set(accents).size).toBeGreaterThan(5);
  for (const accent of new Set(accents)) expect(contrastWithWhite(accent)).toBeGreaterThan(4.5);
});
