import type { ErrorCode, ErrorEnvelope } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { uploadErrorOf } from '../../src/dashboard/upload-error.ts';

const refused = (status: number, code: ErrorCode, extras: Partial<ErrorEnvelope> = {}) =>
  uploadErrorOf(
    {
      end: 'refused',
      status,
      envelope: { code, message: 'As the store says.', requestId: 'r-1', ...extras },
    },
    '1.0.0',
  );

describe('a failed upload', () => {
  it.each([
    ['lost', uploadErrorOf({ end: 'lost' }, '1.0.0')],
    ['stopped', uploadErrorOf({ end: 'cancelled' }, '1.0.0')],
    ['without a session', refused(401, 'unauthorized')],
    ['from a page that was open for too long', refused(403, 'forbidden')],
    ['with an error of the store', refused(500, 'internal')],
    ['refused by a proxy', uploadErrorOf({ end: 'refused', status: 502, envelope: undefined }, '1')],
  ])('%s can be retried immediately', (_what, uploadError) => {
    expect(uploadError).toMatchObject({ canRetry: true, wait: 0, issues: [] });
    expect(uploadError.message).toMatch(/The bundle is still here/);
  });

  it('waits for the time of Retry-After, or a default', () => {
    expect(refused(429, 'rate_limited', { retryAfter: 42 })).toMatchObject({ canRetry: true, wait: 42 });
    expect(refused(503, 'unavailable')).toMatchObject({ canRetry: true, wait: 10 });
  });

  it('cannot be retried when a retry does not help, and shows what to change', () => {
    const tooOld = refused(409, 'version_not_greater', { latest: '1.2.0' });
    expect(tooOld).toMatchObject({
      canRetry: false,
      message: expect.stringContaining('not greater than 1.2.0'),
    });
    expect(refused(413, 'bundle_too_large')).toMatchObject({
      canRetry: false,
      message: expect.stringContaining('25 MiB'),
    });
    const proxy = uploadErrorOf({ end: 'refused', status: 413, envelope: undefined }, '1.0.0');
    expect(proxy).toEqual(refused(413, 'bundle_too_large'));
    expect(refused(409, 'id_taken')).toMatchObject({ canRetry: false, message: 'As the store says.' });
  });

  it('shows the findings of the store', () => {
    const issue = { code: 'remote.url', level: 'error', path: '/remote', message: 'No.' } as const;
    for (const [status, code] of [
      [422, 'validation_failed'],
      [400, 'invalid_bundle'],
    ] as const) {
      expect(refused(status, code, { issues: [issue] })).toMatchObject({ canRetry: false, issues: [issue] });
    }
  });

  it('asks to sign in only without a session', () => {
    expect(refused(401, 'unauthorized').signIn).toBe(true);
    expect(refused(403, 'not_a_member').signIn).toBe(false);
  });
});
