import { describe, expect, it } from 'vitest';
import { onDisk, unlessReadOnly } from '../../../src/adapters/disk/faults.ts';
import { UnavailableError } from '../../../src/platform/unavailable-error.ts';

const said = (code: string) => Object.assign(new Error(`${code}: said by the system`), { code });

describe('onDisk', () => {
  it.each(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM'])(
    'reports %s as unavailable, with its cause',
    async (code) => {
      const error = said(code);
      const work = onDisk(Promise.reject(error));
      await expect(work).rejects.toThrow(UnavailableError);
      await expect(work).rejects.toMatchObject({ cause: error });
    },
  );

  it.each(['ENOENT', 'ENOTDIR', 'ESTALE', 'ENOTCONN', 'ENODEV', 'ENXIO'])(
    'reports %s, the error of a missing volume, as unavailable',
    async (code) => {
      await expect(onDisk(Promise.reject(said(code)))).rejects.toThrow(UnavailableError);
    },
  );

  it.each([said('EACCES'), new TypeError('undefined is not a function')])(
    'rethrows %s unchanged',
    async (error) => {
      await expect(onDisk(Promise.reject(error))).rejects.toBe(error);
    },
  );

  it('returns the result of successful work', async () => {
    expect(await onDisk(Promise.resolve(1))).toBe(1);
  });
});

describe('unlessReadOnly', () => {
  it.each(['EROFS', 'EACCES', 'EPERM'])('is false for %s', async (code) => {
    expect(await unlessReadOnly(Promise.reject(said(code)))).toBe(false);
  });

  it('is true for a change that was made, and rethrows other errors', async () => {
    expect(await unlessReadOnly(Promise.resolve())).toBe(true);
    await expect(unlessReadOnly(Promise.reject(said('ENOSPC')))).rejects.toThrow('ENOSPC');
  });
});
