import { describe, expect, it } from 'vitest';
import { count, sizeText, visible } from '../../src/check/words.ts';

describe('visible', () => {
  it('shows characters that would hide or reorder text', () => {
    expect(visible('ok\u202egnp.exe')).toBe('ok⟨U+202E⟩gnp.exe');
    expect(visible('a\u200bb\u0007\ud800')).toBe('a⟨U+200B⟩b⟨U+0007⟩⟨U+D800⟩');
  });

  it('does not change ordinary text', () => expect(visible('Grüße, 世界 👋')).toBe('Grüße, 世界 👋'));
});

it('counts', () => expect([count(1, 'file'), count(2, 'file')]).toEqual(['1 file', '2 files']));

it.each([
  [1, '1 byte'],
  [1_023, '1023 bytes'],
  [1_024, '1.0 KiB'],
  [5 * 1024 * 1024, '5.0 MiB'],
])('formats %i bytes as %s', (bytes, text) => expect(sizeText(bytes)).toBe(text));
