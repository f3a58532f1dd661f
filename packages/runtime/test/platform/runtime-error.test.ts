import { describe, expect, expectTypeOf, it } from 'vitest';
import { isRefusal, RuntimeError } from '../../src/platform/runtime-error.ts';

describe('the detail of a refusal', () => {
  const failed: unknown = new RuntimeError('server-failed', undefined, {
    detail: { status: 429, retryAfter: 7 },
  });

  it('has the type of its code', () => {
    if (!isRefusal(failed, 'server-failed')) return expect.fail('it is none');
    expectTypeOf(failed.detail.retryAfter).toEqualTypeOf<number | undefined>();
    expect(failed.detail).toEqual({ status: 429, retryAfter: 7 });
  });

  it('is that of no other code, and of no other error', () => {
    expect(isRefusal(failed, 'connect-failed')).toBe(false);
    expect(isRefusal(new Error('server-failed'), 'server-failed')).toBe(false);
  });

  it('has no fields that the code does not have', () => {
    // @ts-expect-error A code without an entry in the table has no detail.
    new RuntimeError('too-slow', undefined, { detail: { seconds: 3 } });
    // @ts-expect-error `status` is a number.
    new RuntimeError('server-failed', undefined, { detail: { status: '429' } });
    expect(new RuntimeError('too-slow').detail).toEqual({});
  });
});
