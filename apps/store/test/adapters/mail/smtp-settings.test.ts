import { describe, expect, it } from 'vitest';
import { readSmtpUrl } from '../../../src/adapters/mail/smtp-settings.ts';

describe('the address of a mail server', () => {
  it.each([
    ['smtp://mail.example', { host: 'mail.example', port: 587, secure: false, login: null }],
    ['smtps://mail.example', { host: 'mail.example', port: 465, secure: true, login: null }],
    ['smtp://127.0.0.1:2525/', { host: '127.0.0.1', port: 2525, secure: false, login: null }],
    ['smtp://[::1]:2525', { host: '::1', port: 2525, secure: false, login: null }],
    [
      'smtps://a%40b.example:p%40ss%3Aword@mail.example:4650',
      { host: 'mail.example', port: 4650, secure: true, login: { user: 'a@b.example', pass: 'p@ss:word' } },
    ],
  ])('is parsed: %s', (text, read) => {
    expect(readSmtpUrl(text)).toEqual(read);
  });

  it.each([
    'mail.example',
    'http://mail.example',
    'smtp://',
    'smtp://user@mail.example',
    'smtp://:pass@mail.example',
    'smtp://mail.example/path',
    'smtp://mail.example?x=1',
    'smtp://user:%ff@mail.example',
    'smtp://mail.example:99999',
  ])('is rejected: %s', (text) => {
    expect(readSmtpUrl(text)).toEqual({ fault: 'must be smtp://user:password@host:port, or smtps://…' });
  });
});
