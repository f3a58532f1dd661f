import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { faultOf, losesConnection } from '../../../src/adapters/postgres/faults.ts';
import { UnavailableError } from '../../../src/platform/unavailable-error.ts';

function saidByServer(code: string): Error {
  const error = new pg.DatabaseError('said by the server', 1, 'error');
  error.code = code;
  return error;
}

describe('a fault', () => {
  it.each([
    ['08006', 'connection failure'],
    ['40001', 'serialisation failure'],
    ['40P01', 'deadlock'],
    ['25006', 'read only, as a server is that has become the spare one'],
    ['25P03', 'idle in a transaction for too long'],
    ['53300', 'too many connections'],
    ['55P03', 'lock not to be had'],
    ['57014', 'statement timeout'],
    ['57P01', 'shutting down'],
    ['57P03', 'starting up'],
  ])('of the moment, %s (%s), says to try again', (code) => {
    const error = saidByServer(code);
    expect(faultOf(error)).toBeInstanceOf(UnavailableError);
    expect((faultOf(error) as Error).cause).toBe(error);
    expect(losesConnection(error)).toBe(false);
  });

  it.each(['23505', '42601', '22021', '25P02', '54000', 'XX000'])('of ours, %s, stays what it is', (code) => {
    const error = saidByServer(code);
    expect(faultOf(error)).toBe(error);
  });

  it('of the connection says to try again, and that it must not be used any more', () => {
    const error = new Error('Connection terminated unexpectedly');
    expect(faultOf(error)).toBeInstanceOf(UnavailableError);
    expect(losesConnection(error)).toBe(true);
  });

  it('of JavaScript stays what it is', () => {
    const error = new TypeError('undefined is not a function');
    expect(faultOf(error)).toBe(error);
  });

  it('has a line even where many addresses were tried in vain', () => {
    const error = Object.assign(new AggregateError([new Error('one'), new Error('two')]), {
      code: 'ECONNREFUSED',
    });
    expect((faultOf(error) as Error).message).toBe('PostgreSQL: ECONNREFUSED');
  });
});
