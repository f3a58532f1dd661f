import { DatabaseSync } from 'node:sqlite';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { asRefusal, isRefusal, RuntimeError } from '../../src/platform/runtime-error.ts';

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

describe('an error of the disk', () => {
  const withCode = (code: string) => Object.assign(new Error('write'), { code });

  it('is a refusal that says what to do', () => {
    const database = new DatabaseSync(':memory:');
    database.exec('pragma max_page_count = 2');
    for (const full of [withCode('ENOSPC'), withCode('EDQUOT')])
      expect(asRefusal(full)).toMatchObject({
        code: 'disk-unavailable',
        message: expect.stringContaining('is full'),
        cause: full,
      });
    const write = () => database.exec('create table t (a); create table u (a)');
    expect(write).toThrow(expect.toSatisfy((error) => String(asRefusal(error)?.message).includes('is full')));
    for (const code of ['EROFS', 'EACCES', 'EIO'])
      expect(asRefusal(withCode(code))).toEqual(new RuntimeError('disk-unavailable'));
    const missing = () => new DatabaseSync('/none/such/file');
    expect(missing).toThrow(expect.toSatisfy((error) => asRefusal(error)?.code === 'disk-unavailable'));
  });

  it('is no other error, and a refusal stays what it is', () => {
    const refusal = new RuntimeError('declined');
    expect(asRefusal(refusal)).toBe(refusal);
    for (const fault of [withCode('ENOENT'), new Error('a bug'), 'ENOSPC', null, undefined])
      expect(asRefusal(fault)).toBeNull();
  });
});
