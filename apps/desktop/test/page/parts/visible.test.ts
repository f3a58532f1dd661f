import { describe, expect, it } from 'vitest';
import { visible } from '../../../page/src/parts/visible.ts';

describe('a text of strangers', () => {
  it('names what cannot be seen, and turns nothing around', () => {
    expect(visible('a\u202Egnp.exe')).toBe('a⟨U+202E⟩gnp.exe');
    expect(visible('admin\u200B\u0000')).toBe('admin⟨U+200B⟩⟨U+0000⟩');
  });

  it('leaves what can be read', () => {
    const text = 'Zeile\n\tzwei: 日本 🌿 ❤\uFE0F é';
    expect(visible(text)).toBe(text);
  });
});
