import { describe, expect, it } from 'vitest';
import { faultOf, isBusy } from '../../../src/adapters/sqlite/faults.ts';
import { UnavailableError } from '../../../src/platform/unavailable-error.ts';

const said = (errcode: number) => Object.assign(new Error('said by SQLite'), { errcode });

describe('faultOf', () => {
  it.each([
    [5, 'BUSY'],
    [5 | (2 << 8), 'BUSY_SNAPSHOT'],
    [6, 'LOCKED'],
    [8, 'READONLY'],
    [10, 'IOERR'],
    [10 | (3 << 8), 'IOERR_WRITE'],
    [10 | (4 << 8), 'IOERR_FSYNC'],
    [13, 'FULL'],
    [14, 'CANTOPEN'],
  ])('reports the temporary error %i (SQLITE_%s) as unavailable', (errcode) => {
    const error = said(errcode);
    expect(faultOf(error)).toBeInstanceOf(UnavailableError);
    expect((faultOf(error) as Error).cause).toBe(error);
  });

  it.each([
    [1, 'ERROR'],
    [11, 'CORRUPT'],
    [19, 'CONSTRAINT'],
    [19 | (8 << 8), 'CONSTRAINT_UNIQUE'],
    [20, 'MISMATCH'],
    [26, 'NOTADB'],
  ])('returns %i (SQLITE_%s), an error of the store itself, unchanged', (errcode) => {
    const error = said(errcode);
    expect(faultOf(error)).toBe(error);
  });

  it('returns a JavaScript error unchanged', () => {
    const error = new TypeError('undefined is not a function');
    expect(faultOf(error)).toBe(error);
    expect(isBusy(error)).toBe(false);
  });
});
