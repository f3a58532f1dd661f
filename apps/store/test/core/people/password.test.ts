import { parseOptions } from '@node-rs/argon2';
import { describe, expect, it } from 'vitest';
import {
  createPasswordHasher,
  createWrongDelay,
  DUMMY_HASH,
  isCommonPassword,
  requireStrong,
} from '../../../src/core/people/password.ts';

const ANNA = { name: 'Anna Archibald Ash', email: 'anna@example.com' };

describe('the hash of a password', () => {
  it('uses Argon2id with a salt and the parameters that OWASP recommends', async () => {
    const { hash } = createPasswordHasher();
    const [one, other] = await Promise.all([hash('four words of anna'), hash('four words of anna')]);
    expect(one).not.toBe(other);
    expect(one).toMatch(/^\$argon2id\$/);
    expect(parseOptions(one)).toMatchObject({ memoryCost: 19_456, timeCost: 2, parallelism: 1 });
  });

  it('takes as much processor time to check for an unknown user as for a wrong password', async () => {
    const { hash, matches } = createPasswordHasher();
    expect(parseOptions(DUMMY_HASH)).toEqual(parseOptions(await hash('four words of anna')));
    const timed = async (held: string | null) => {
      const before = process.cpuUsage();
      expect(await matches(held, 'some guess')).toBe(false);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const held = await hash('four words of anna');
    const rounds = Array.from({ length: 7 });
    const known: number[] = [];
    const unknown: number[] = [];
    for (const _ of rounds) {
      known.push(await timed(held));
      unknown.push(await timed(null));
    }
    // Compares the fastest checks: other load on the machine only makes a check slower.
    const ratio = Math.min(...unknown) / Math.min(...known);
    expect(ratio).toBeGreaterThan(0.5);
    expect(ratio).toBeLessThan(2);
  });

  it('matches another Unicode normalisation of the password, and no other characters', async () => {
    const { hash, matches } = createPasswordHasher();
    const held = await hash('vier wörter für anna');
    expect(await matches(held, 'vier wörter für anna'.normalize('NFD'))).toBe(true);
    expect(await matches(held, 'vier worter fur anna')).toBe(false);
    expect(await matches(held, 'Vier wörter für anna')).toBe(false);
  });
});

describe('the answers to wrong passwords', () => {
  it('are late for a network with many, and for no other', () => {
    const delayOf = createWrongDelay(() => 1_000);
    const delays = Array.from({ length: 23 }, () => delayOf('office'));
    expect(delays).toEqual([...Array.from({ length: 20 }, () => 0), 100, 200, 300]);
    expect(delayOf('home')).toBe(0);
  });

  it('to one password at many accounts come after the others of the network, also those that wait', async () => {
    const checked: string[] = [];
    const verify = async (_hash: unknown, password: unknown) => {
      checked.push(String(password));
      return password === 'right';
    };
    const { matches } = createPasswordHasher(async () => ({ hash: async () => 'held', verify }));
    const check = (account: number, password: string) =>
      matches(account % 2 === 0 ? 'held' : null, password, { account: `${account}`, network: 'office' });
    // Of a few wrong passwords the answers are not late.
    const burst = Array.from({ length: 18 }, (_, account) => check(account, 'sprayed'));
    const right = await check(18, 'right');
    await Promise.all(burst);
    expect([right, checked.length]).toEqual([true, 19]);
    expect(checked.indexOf('right')).toBeLessThan(8);
  });

  it('need no check for unknown accounts while they are late, and one for known accounts', async () => {
    let checks = 0;
    const verify = async () => {
      checks += 1;
      return false;
    };
    const library = async () => ({ hash: async () => 'held', verify });
    const { matches } = createPasswordHasher(library, () => 1_000);
    const requester = { account: '', network: 'office' };
    const guess = async (hash: string | null, count: number) => {
      const before = checks;
      const found = await Promise.all(Array.from({ length: count }, () => matches(hash, 'guess', requester)));
      expect(found).not.toContain(true);
      return checks - before;
    };
    expect(await guess(null, 20)).toBe(20);
    // This answer is due before a check would be over.
    expect(await guess(null, 1)).toBe(1);
    expect(await guess(null, 2)).toBe(0);
    expect(await guess('held', 2)).toBe(2);
  });
});

describe('a new password', () => {
  it.each(['four words of anna', 'abcdeabcdeab', `${'x'.repeat(196)}abcd`, '🦊🐻🐼🐨🦁🐯🦊🐻🐼🐨🦁🐯'])(
    'may be %.20s',
    async (password) => {
      await expect(requireStrong(password, ANNA)).resolves.toBeUndefined();
    },
  );

  it.each([
    'abcdeabcdea',
    `abcde${'x'.repeat(196)}`,
    'abcdabcdabcdabcd',
    '🦊🐻🐼🐨🦁🐯',
    'ANNA@EXAMPLE.COM',
    ' anna archibald ash ',
  ])('may not be %.20s', async (password) => {
    await expect(requireStrong(password, ANNA)).rejects.toThrow(/^The password must/);
  });

  it('may not be a common password', async () => {
    await expect(requireStrong('Password1234!', ANNA)).rejects.toThrow(/^This password is too common/);
  });
});

describe('isCommonPassword', () => {
  it.each([
    'qwertyuiop123',
    'passwordpassword',
    'Password1234!',
    'P@ssw0rd2024!!',
    '!!!iloveyou2024',
    '1q2w3e4r5t6y',
    'QWERTY123456',
    'administrator',
    'letmeinletmein',
    '123456789012',
    '  superman1234  ',
    'dragondragondragon',
  ])('recognises %s', async (password) => {
    expect(await isCommonPassword(password)).toBe(true);
  });

  it.each([
    'correct horse battery',
    'four words of anna',
    'kRf8#pw2Zq!mVt',
    'password for the blue kettle',
    'vier wörter für anna',
    '🦊🐻🐼🐨🦁🐯🦊🐻🐼🐨🦁🐯',
    '',
  ])('does not match %j', async (password) => {
    expect(await isCommonPassword(password)).toBe(false);
  });

  it('checks 200 passwords of 200 characters in less than 5 seconds of processor time', async () => {
    const started = process.cpuUsage();
    for (let i = 0; i < 200; i += 1) await isCommonPassword('1a'.repeat(100));
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1000).toBeLessThan(5_000);
  });
});
