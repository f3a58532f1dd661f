import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeNext } from '../../../src/features/people/safe-next.ts';

describe('safeNext', () => {
  it.each(['/', '/account', '/device?code=ABCD-EFGH', '/a/b#c', '/a?next=//x'])('accepts %s', (next) => {
    expect(safeNext(next)).toBe(next);
  });

  it.each([
    undefined,
    '',
    'account',
    'https://evil.example/',
    'javascript:alert(1)',
    '//evil.example',
    '/\\evil.example',
    '\\/evil.example',
    '/\t/evil.example',
    '/\n\\evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    '/%2e//evil.example',
    ' //evil.example',
  ])('replaces %j with the account page', (next) => {
    expect(safeNext(next)).toBe('/account');
  });

  it('never returns an address of another site', () => {
    const part = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      '%2e',
      '\t',
      '\r\n',
      'evil.example',
      ':',
      '@',
      '?',
      '#',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const to = safeNext(`/${parts.join('')}`);
        expect(new URL(to, 'https://store.test').origin).toBe('https://store.test');
      }),
    );
  });
});
