import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeNext } from '../../src/people/safe-next.ts';

describe('where one goes on to after signing in', () => {
  it.each(['/', '/account', '/device?code=ABCD-EFGH', '/a/b#c', '/a?next=//x'])('is %s', (next) => {
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
  ])('is the account, not %j', (next) => {
    expect(safeNext(next)).toBe('/account');
  });

  it('is never on another site', () => {
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
