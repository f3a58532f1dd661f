import { describe, expect, it } from 'vitest';
import { createOutages, withoutFloods } from '../../src/platform/outages.ts';
import { UnavailableError } from '../../src/platform/unavailable-error.ts';

const MINUTE = 60_000;

/** A log in memory, with a clock. */
function memory() {
  const state = { now: Date.parse('2026-03-01T12:00:00.000Z') };
  const lines: { level: string; fields: Record<string, unknown>; message: string }[] = [];
  const write = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields: fields as Record<string, unknown>, message });
  const log = { info: write('info'), warn: write('warn'), error: write('error') };
  return { state, lines, log, clock: () => new Date(state.now) };
}

describe('the log of an outage', () => {
  it('has one line at once, and one a minute that counts the others, whichever part wrote them', () => {
    const { state, lines, log } = memory();
    const quiet = withoutFloods(log, () => state.now);
    const away = (port: number) =>
      new UnavailableError('PostgreSQL is gone.', { cause: new Error(`connect ECONNREFUSED ${port}`) });
    for (let n = 0; n < 460; n += 1) quiet.error({ err: away(n), requestId: n }, 'A request failed.');
    quiet.warn({ err: away(0) }, 'A job failed.');
    expect(lines).toEqual([
      {
        level: 'error',
        fields: {
          err: { type: 'Unavailable', message: 'PostgreSQL is gone: connect ECONNREFUSED 0' },
          requestId: 0,
        },
        message: 'A request failed.',
      },
    ]);
    state.now += MINUTE;
    quiet.error({ err: away(1) }, 'A request failed.');
    expect(lines).toHaveLength(2);
    expect(lines[1]?.fields.since).toEqual({ 'A request failed.': 459, 'A job failed.': 1 });
    expect(JSON.stringify(lines)).not.toContain('stack');
  });

  it('keeps the lines of other outages, and every line of a bug with its stack', () => {
    const { state, lines, log } = memory();
    const quiet = withoutFloods(log, () => state.now);
    const bug = new TypeError('undefined is not a function');
    for (const err of [new UnavailableError('S3: gone'), new UnavailableError('SQLite: full'), bug, bug])
      quiet.error({ err }, 'A request failed.');
    quiet.error({}, 'No error.');
    expect(lines).toHaveLength(5);
    expect(lines[2]?.fields.err).toBe(bug);
  });

  it('is bounded: of a thousand causes each has its first line', () => {
    const { state, lines, log } = memory();
    const quiet = withoutFloods(log, () => state.now);
    const name = (n: number) =>
      String.fromCharCode(97 + (n % 26), 97 + (Math.floor(n / 26) % 26), 97 + Math.floor(n / 676));
    for (let n = 0; n < 1_000; n += 1)
      quiet.error({ err: new UnavailableError(name(n)) }, 'A request failed.');
    expect(lines).toHaveLength(1_000);
  });
});

describe('a service that the store calls', () => {
  it('is down from its first failure to its next success, with a line each, and one a minute between', () => {
    const { state, lines, log, clock } = memory();
    const outages = createOutages({ log, clock });
    outages.add('mail server');
    const since = clock().toISOString();
    outages.tried('mail server', null);
    expect([outages.isDown('mail server'), lines]).toEqual([false, []]);
    for (let n = 0; n < 50; n += 1) outages.tried('mail server', 'ECONNREFUSED');
    expect(outages.list()).toEqual([{ name: 'mail server', ok: false, since, failures: 50 }]);
    expect(lines).toEqual([
      {
        level: 'error',
        fields: { service: 'mail server', why: 'ECONNREFUSED', since, failures: 1 },
        message: 'The mail server cannot be reached.',
      },
    ]);
    state.now += MINUTE;
    outages.tried('mail server', 'ECONNREFUSED');
    expect(lines).toHaveLength(2);
    outages.tried('mail server', null);
    expect(lines.at(-1)).toMatchObject({ level: 'warn', message: 'The mail server can be reached again.' });
    expect(outages.list()).toEqual([{ name: 'mail server', ok: true, since: null, failures: 0 }]);
  });

  it('with several peers is down when three tries in a row failed, and the last one at every peer', () => {
    const { state, log, clock } = memory();
    const outages = createOutages({ log, clock });
    const name = 'receivers of webhooks';
    outages.add(name, 3);
    outages.tried(name, null, 'a.example');
    for (let n = 0; n < 10; n += 1) outages.tried(name, 'timeout', 'b.example');
    expect(outages.isDown(name)).toBe(false);
    outages.tried(name, 'timeout', 'a.example');
    expect(outages.isDown(name)).toBe(true);
    outages.tried(name, null, 'a.example');
    expect(outages.isDown(name)).toBe(false);
    // What a peer answered more than a day ago says nothing.
    state.now += 25 * 60 * MINUTE;
    for (let n = 0; n < 2; n += 1) outages.tried(name, 'timeout', 'b.example');
    expect(outages.isDown(name)).toBe(false);
    outages.tried(name, 'timeout', 'b.example');
    expect(outages.isDown(name)).toBe(true);
  });

  it('answers also with an error that is no outage', async () => {
    const { log, clock } = memory();
    const outages = createOutages({ log, clock });
    outages.add('sign-in provider acme');
    const watch = (error: Error) =>
      outages.watch('sign-in provider acme', () => Promise.reject(error)).catch((thrown: unknown) => thrown);
    const refusal = new Error('Refused.');
    expect(await watch(refusal)).toBe(refusal);
    expect(outages.isDown('sign-in provider acme')).toBe(false);
    await watch(new UnavailableError('away'));
    expect(outages.isDown('sign-in provider acme')).toBe(true);
  });
});
