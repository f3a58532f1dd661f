import { describe, expect, it } from 'vitest';
import { isCommonPassword } from '../../../src/features/people/common-passwords.ts';

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
