import { describe, expect, it } from 'vitest';
import { onDisk } from '../../../src/adapters/disk/faults.ts';
import { UnavailableError } from '../../../src/platform/unavailable-error.ts';

const said = (code: string) => Object.assign(new Error(`${code}: said by the system`), { code });

describe('a fault of the disk', () => {
  it.each(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM'])(
    '%s says to try again, with its cause',
    async (code) => {
      const error = said(code);
      const work = onDisk(Promise.reject(error));
      await expect(work).rejects.toThrow(UnavailableError);
      await expect(work).rejects.toMatchObject({ cause: error });
    },
  );

  it.each(['ENOENT', 'ENOTDIR', 'ESTALE', 'ENOTCONN', 'ENODEV', 'ENXIO'])(
    '%s says that a volume is away, and may be back',
    async (code) => {
      await expect(onDisk(Promise.reject(said(code)))).rejects.toThrow(UnavailableError);
    },
  );

  it.each([said('EACCES'), new TypeError('undefined is not a function')])(
    '%s stays what it is',
    async (error) => {
      await expect(onDisk(Promise.reject(error))).rejects.toBe(error);
    },
  );

  it('is none where there is none', async () => {
    expect(await onDisk(Promise.resolve(1))).toBe(1);
  });
});
