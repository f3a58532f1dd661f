import { describe, expect, it } from 'vitest';
import { visible } from '../../../page/src/parts/visible.ts';

describe('visible', () => {
  it('replaces invisible characters and direction overrides with their code points', () => {
    expect(visible('a\u202Egnp.exe')).toBe('a⟨U+202E⟩gnp.exe');
    expect(visible('admin\u200B\u0000')).toBe('admin⟨U+200B⟩⟨U+0000⟩');
  });

  it('leaves readable characters unchanged', () => {
    const text = 'Zeile\n\tzwei: 日本 🌿 ❤\uFE0F é';
    expect(visible(text)).toBe(text);
  });
});
