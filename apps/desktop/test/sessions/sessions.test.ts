import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createSessions } from '../../src/sessions/sessions.ts';

const MINUTE = 60_000;

function world() {
  let now = 1_000_000;
  const sessions = createSessions({ now: () => now, randomBytes });
  return {
    sessions,
    pass(ms: number) {
      now += ms;
    },
  };
}

const refused = (status: number) => expect.objectContaining({ status });

it('exchanges a key for a bearer token only once', () => {
  const { sessions } = world();
  const key = sessions.newKey();
  const bearer = sessions.open(key);
  expect(sessions.require(bearer).ended.aborted).toBe(false);
  expect(() => sessions.open(key)).toThrow(refused(401));
  expect(() => sessions.require(key)).toThrow(refused(401));
  expect(() => sessions.require('')).toThrow(refused(401));
});

it('rejects a key after five minutes', () => {
  const { sessions, pass } = world();
  const [early, late] = [sessions.newKey(), sessions.newKey()];
  pass(5 * MINUTE - 1);
  sessions.open(early);
  pass(1);
  expect(() => sessions.open(late)).toThrow(refused(401));
});

it('rate limits wrong keys, but still accepts the right one', () => {
  const { sessions, pass } = world();
  const key = sessions.newKey();
  for (let i = 0; i < 20; i += 1) expect(() => sessions.open(`guess-${i}`)).toThrow(refused(401));
  for (let i = 0; i < 1_000; i += 1) expect(() => sessions.open(`guess-${i}`)).toThrow(refused(429));
  sessions.require(sessions.open(key));
  expect(() => sessions.open(key)).toThrow(refused(429));
  pass(MINUTE);
  expect(() => sessions.open(key)).toThrow(refused(401));
});

it('creates random keys of 256 bits', () => {
  const { sessions } = world();
  const keys = Array.from({ length: 100 }, () => sessions.newKey());
  for (const key of keys) expect(Buffer.from(key, 'base64url')).toHaveLength(32);
  expect(new Set(keys).size).toBe(100);
});

it('ends a session that was not used for twelve hours, but not one in use', () => {
  const { sessions, pass } = world();
  const [idle, used] = [sessions.open(sessions.newKey()), sessions.open(sessions.newKey())];
  const { ended } = sessions.require(idle);
  pass(11 * 60 * MINUTE);
  sessions.require(used);
  pass(60 * MINUTE);
  sessions.require(used);
  expect(ended.aborted).toBe(true);
  expect(() => sessions.require(idle)).toThrow(refused(401));
});

it('keeps at most 32 sessions, and ends the least recently used one', () => {
  const { sessions, pass } = world();
  const first = sessions.open(sessions.newKey());
  const { ended } = sessions.require(first);
  for (let i = 0; i < 32; i += 1) {
    pass(1);
    sessions.open(sessions.newKey());
  }
  expect(ended.aborted).toBe(true);
  expect(() => sessions.require(first)).toThrow(refused(401));
});
