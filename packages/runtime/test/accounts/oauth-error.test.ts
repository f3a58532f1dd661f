import { describe, expect, it } from 'vitest';
import { oauthErrorFrom } from '../../src/accounts/oauth-error.ts';

const SECRET = 'rt-0123456789abcdefghijklmnop+/=';

describe('the error description of a server', () => {
  it('is shown with the error code', () => {
    const fault = oauthErrorFrom({ error: 'invalid_grant', error_description: 'It has expired.' }, [
      SECRET,
      null,
      '',
    ]);
    expect(fault).toMatchObject({
      message: 'The authorization server refuses (invalid_grant): It has expired.',
      oauthError: 'invalid_grant',
    });
  });

  it.each([
    ['unchanged', SECRET],
    ['in part', SECRET.slice(5, 20)],
    ['URL-encoded', encodeURIComponent(SECRET)],
    ['as base64', Buffer.from(SECRET).toString('base64')],
    ['as base64url', Buffer.from(SECRET).toString('base64url')],
    ['as hexadecimal', Buffer.from(SECRET).toString('hex')],
    ['with invisible characters in between', [...SECRET].join('\u200b')],
    ['with spaces in between', [...SECRET].join(' ')],
  ])('is not shown when it repeats a secret %s', (_how, text) => {
    const { message } = oauthErrorFrom({ error: 'invalid_grant', error_description: `Sent: ${text}` }, [
      SECRET,
    ]);
    expect(message).toBe('The authorization server refuses (invalid_grant)');
  });

  it('is not shown when it repeats a secret that has spaces, as that of a client may', () => {
    const secret = 'correct horse battery staple';
    const answer = { error: 'invalid_client', error_description: `Sent: ${secret}` };
    expect(oauthErrorFrom(answer, [secret]).message).toBe(
      'The authorization server refuses (invalid_client)',
    );
  });

  it.each(['hunter2', 'hunter2-1234'])('is not shown when it repeats the short secret %s', (secret) => {
    const say = (text: string) =>
      oauthErrorFrom({ error: 'invalid_grant', error_description: text }, [secret]).message;
    expect(say(`Sent: ${secret}`)).toBe('The authorization server refuses (invalid_grant)');
    expect(say('Sent: hunter')).toBe('The authorization server refuses (invalid_grant): Sent: hunter');
    expect(say('No.')).toBe('The authorization server refuses (invalid_grant): No.');
  });

  it.each([
    ['access_denied', 'denied'],
    ['Access_Denied', 'denied'],
    ['invalid_request', 'refused'],
    ['', 'refused'],
  ])('with the code %j says that the sign-in was %s', (error, reason) => {
    expect(oauthErrorFrom({ error }, [])).toMatchObject({ reason });
  });

  it('is shown without the code when the code is a secret or malformed', () => {
    for (const error of [SECRET, 'two words', 'x'.repeat(61), 'a\nb', '']) {
      expect(oauthErrorFrom({ error }, [SECRET])).toMatchObject({
        message: 'The authorization server refuses (without a reason)',
        oauthError: null,
      });
    }
  });
});
