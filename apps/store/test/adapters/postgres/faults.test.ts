import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { faultOf, losesConnection } from '../../../src/adapters/postgres/faults.ts';
import { UnavailableError } from '../../../src/platform/unavailable-error.ts';

function saidByServer(code: string): Error {
  const error = new pg.DatabaseError('said by the server', 1, 'error');
  error.code = code;
  return error;
}

describe('faultOf', () => {
  it.each([
    ['08006', 'connection failure'],
    ['40001', 'serialisation failure'],
    ['40P01', 'deadlock'],
    ['25006', 'read only, like a server that became a standby'],
    ['25P03', 'idle in a transaction for too long'],
    ['53300', 'too many connections'],
    ['55P03', 'lock not available'],
    ['57014', 'statement timeout'],
    ['57P01', 'shutting down'],
    ['57P03', 'starting up'],
  ])('reports the temporary error %s (%s) as unavailable', (code) => {
    const error = saidByServer(code);
    expect(faultOf(error)).toBeInstanceOf(UnavailableError);
    expect((faultOf(error) as Error).cause).toBe(error);
    expect(losesConnection(error)).toBe(false);
  });

  it.each(['23505', '42601', '22021', '25P02', '54000', 'XX000'])(
    'returns %s, an error of the store itself, unchanged',
    (code) => {
      const error = saidByServer(code);
      expect(faultOf(error)).toBe(error);
    },
  );

  it('reports a lost connection as unavailable, and the connection as unusable', () => {
    const error = new Error('Connection terminated unexpectedly');
    expect(faultOf(error)).toBeInstanceOf(UnavailableError);
    expect(losesConnection(error)).toBe(true);
  });

  it('returns a JavaScript error unchanged', () => {
    const error = new TypeError('undefined is not a function');
    expect(faultOf(error)).toBe(error);
  });

  it('has a one-line message when no address of the server accepts a connection', () => {
    const error = Object.assign(new AggregateError([new Error('one'), new Error('two')]), {
      code: 'ECONNREFUSED',
    });
    expect((faultOf(error) as Error).message).toBe('PostgreSQL: ECONNREFUSED');
  });
});
