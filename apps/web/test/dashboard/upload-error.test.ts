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

describe('an upload that came to nothing', () => {
  it.each([
    ['lost', uploadErrorOf({ end: 'lost' }, '1.0.0')],
    ['stopped', uploadErrorOf({ end: 'cancelled' }, '1.0.0')],
    ['of somebody signed out', refused(401, 'unauthorized')],
    ['from a page open for long', refused(403, 'forbidden')],
    ['that the store failed at', refused(500, 'internal')],
    [
      'that something in between refused',
      uploadErrorOf({ end: 'refused', status: 502, envelope: undefined }, '1'),
    ],
  ])('%s can be tried again at once', (_what, uploadError) => {
    expect(uploadError).toMatchObject({ again: true, wait: 0, issues: [] });
    expect(uploadError.say).toMatch(/The bundle is still here/);
  });

  it('waits as long as the store asks for, and a while where it does not say', () => {
    expect(refused(429, 'rate_limited', { retryAfter: 42 })).toMatchObject({ again: true, wait: 42 });
    expect(refused(503, 'unavailable')).toMatchObject({ again: true, wait: 10 });
  });

  it('is not tried again where that cannot help, and says what to change', () => {
    const tooOld = refused(409, 'version_not_greater', { latest: '1.2.0' });
    expect(tooOld).toMatchObject({ again: false, say: expect.stringContaining('not greater than 1.2.0') });
    expect(refused(413, 'bundle_too_large')).toMatchObject({
      again: false,
      say: expect.stringContaining('25 MiB'),
    });
    const proxy = uploadErrorOf({ end: 'refused', status: 413, envelope: undefined }, '1.0.0');
    expect(proxy).toEqual(refused(413, 'bundle_too_large'));
    expect(refused(409, 'id_taken')).toMatchObject({ again: false, say: 'As the store says.' });
  });

  it('shows what the store found', () => {
    const issue = { code: 'remote.url', level: 'error', path: '/remote', message: 'No.' } as const;
    for (const [status, code] of [
      [422, 'validation_failed'],
      [400, 'invalid_bundle'],
    ] as const) {
      expect(refused(status, code, { issues: [issue] })).toMatchObject({ again: false, issues: [issue] });
    }
  });

  it('asks for signing in only where that is missing', () => {
    expect(refused(401, 'unauthorized').signIn).toBe(true);
    expect(refused(403, 'not_a_member').signIn).toBe(false);
  });
});
