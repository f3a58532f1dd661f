import { describe, expect, it } from 'vitest';
import { isReservedName } from '../../src/skeleton/reserved.ts';

describe('isReservedName', () => {
  it.each([
    ...[
      'svc',
      'SVC',
      'my svc',
      'svc-tools',
      'a_svc_b',
      'xsvc svc',
      '(svc)',
      'svc|tools',
      'svc’s',
      'ＳＶＣ notes',
    ],
    ...[
      'S v c',
      'S.V.C',
      'S-V_C',
      's•v•c',
      'S VC',
      '🆂🆅🅲 Tools',
      's🔥v🔥c',
      'ŝv̇ç',
      'ſvc',
      'sνϲ',
      'SV©',
      "S'V'C",
    ],
    ...['\u2067cvs', '\u202ecvs', 'x \u202ecvs\u202c y', 's\u200bv\u2060c', 'ꜱᴠᴄ', 'ˢᵛᶜ'],
  ])('finds svc in %j', (name) => expect(isReservedName(name, 'svc')).toBe(true));

  it.each([
    ...[
      '',
      'svcs',
      'xsvc',
      'svc2',
      'ésvc',
      'Mass VC tools',
      'Das VCard',
      "Founder's VC guide",
      'Csv',
      'cvs',
      'MSVC',
    ],
    ...['Service', 'SVG', 'Visc', 'سفك', 'Сервис'],
  ])('does not find svc in %j', (name) => expect(isReservedName(name, 'svc')).toBe(false));

  it('reads two letters v as one w, and finds names that have them', () => {
    for (const name of ['VVillow', 'My vvillow bank', 'vvill0w'])
      expect(isReservedName(name, 'willow')).toBe(true);
    expect(isReservedName('Savvy Tools', 'savvy')).toBe(true);
    expect(isReservedName('Savvy Tools', 'avvy')).toBe(false);
  });

  it('accepts reserved names of several words, and ignores an empty one', () => {
    expect(isReservedName('ΑCME-C0RP notes', 'Acme Corp')).toBe(true);
    expect(isReservedName('Acme notes', 'Acme Corp')).toBe(false);
    expect(isReservedName('abc', '')).toBe(false);
    expect(isReservedName('abc', '\u200b')).toBe(false);
  });

  it('does not hang on long names', () => {
    expect(isReservedName('s '.repeat(20_000), 'svc')).toBe(false);
  });
});
