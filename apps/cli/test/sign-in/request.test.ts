import { anyText } from '@svc/testkit/any-text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signInOf } from '../../src/sign-in/request.ts';
import { START } from '../support/device-store.ts';

const STORE = 'https://store.example/svc';
const PAGE = 'https://store.example/device';

const read = (change: Record<string, unknown>) => signInOf({ ...START, verifyUrl: PAGE, ...change }, STORE);

describe('the response to the start of a sign-in', () => {
  it('is parsed into a page URL, with and without the code', () => {
    expect(read({})).toEqual({
      deviceCode: START.deviceCode,
      userCode: 'BCDF-GHJK',
      page: PAGE,
      pageWithCode: `${PAGE}?code=BCDF-GHJK`,
      isOwnPage: true,
      intervalMs: 5_000,
      expiresInMs: 600_000,
    });
  });

  it('keeps the query of the page URL', () => {
    expect(read({ verifyUrl: `${PAGE}?lang=de&code=old` }).pageWithCode).toBe(
      `${PAGE}?lang=de&code=BCDF-GHJK`,
    );
  });

  it.each([
    'https://evil.example/device',
    'http://store.example/device',
    'https://store.example:8443/device',
    'https://store.example.evil.example/',
  ])('does not count as a page of the store with %s', (verifyUrl) => {
    expect(read({ verifyUrl }).isOwnPage).toBe(false);
  });

  it.each([
    { verifyUrl: 'javascript:alert(1)' },
    { verifyUrl: 'file:///etc/passwd' },
    { verifyUrl: 'data:text/html,x' },
    { verifyUrl: 'ms-msdt:/id' },
    { verifyUrl: 'https://store.example@evil.example/' },
    { verifyUrl: 'https://user:word@store.example/device' },
    { verifyUrl: `https://store.example/${'a'.repeat(300)}` },
    { verifyUrl: '/device' },
    { userCode: 'BCDF-GHJ\u001b[2J' },
    { userCode: '\u202eBCDF-GHJK' },
    { userCode: 'BCDFGHJK' },
    { userCode: 'BCDF-GHJK\n' },
    { userCode: '' },
    { deviceCode: '' },
    { deviceCode: 'a b' },
    { deviceCode: 'a'.repeat(513) },
  ])('is refused with $verifyUrl$userCode$deviceCode', (change) => {
    expect(() => read(change)).toThrow(`${STORE} sent an invalid sign-in response`);
  });

  it.each([
    { interval: 0, is: 1_000 },
    { interval: -5, is: 1_000 },
    { interval: 7, is: 7_000 },
    { interval: 1_000_000, is: 60_000 },
  ])('has a polling interval of $interval s limited to 1 to 60 seconds', ({ interval, is }) => {
    expect(read({ interval }).intervalMs).toBe(is);
  });

  it.each([
    { expiresIn: -1, is: 1_000 },
    { expiresIn: 900, is: 900_000 },
    { expiresIn: 1_000_000, is: 1_800_000 },
  ])('has a lifetime of $expiresIn s limited to 1 to 1,800 seconds', ({ expiresIn, is }) => {
    expect(read({ expiresIn }).expiresInMs).toBe(is);
  });

  it('contains only http and https URLs in ASCII', () => {
    const scheme = fc.constantFrom('https:', 'http:', 'javascript:', 'file:', 'HTTPS:', ' https:', '');
    const address = fc.tuple(scheme, anyText()).map(([head, rest]) => `${head}//${rest}`);
    const webAddress = fc
      .tuple(scheme, fc.domain(), anyText())
      .map(([head, host, path]) => `${head}//${host}/${encodeURIComponent(path)}`);
    fc.assert(
      fc.property(fc.oneof(address, webAddress), anyText(), (verifyUrl, tail) => {
        const answer = [{ verifyUrl }, { verifyUrl, userCode: `BCDF-GHJ${tail}` }].flatMap((change) => {
          try {
            return [read(change)];
          } catch {
            return [];
          }
        });
        for (const { page, pageWithCode, userCode, isOwnPage } of answer) {
          expect(page).toMatch(/^https?:\/\/[!-~]+$/);
          expect(pageWithCode).toMatch(/^https?:\/\/[!-~]+$/);
          expect(userCode).toMatch(/^[A-Z0-9]{4}-[A-Z0-9]{4}$/);
          if (isOwnPage) expect(page.startsWith('https://store.example/')).toBe(true);
        }
      }),
    );
  });
});
