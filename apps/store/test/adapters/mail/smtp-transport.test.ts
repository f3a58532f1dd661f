import { describe, expect, it } from 'vitest';
import { createSmtpTransport } from '../../../src/adapters/mail/smtp-transport.ts';
import { startRaw, startSmtp } from '../../support/smtp-server.ts';

const transportAt = (port: number, more = {}) =>
  createSmtpTransport(
    { host: '127.0.0.1', port, secure: false, login: null, from: 'App store <store@store.test>', ...more },
    'https://store.test',
  );

const LETTER = { id: 'letter-1', to: 'anna@example.com', subject: 'Hello', text: 'Grüße\n.\nend\n' };

/** The header lines of a mail, unfolded (RFC 5322 section 2.2.3). */
const headerOf = (raw: string) =>
  raw
    .split('\r\n\r\n')[0]
    ?.replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n') ?? [];

const refusal = (responseCode: number) => Object.assign(new Error('No.'), { responseCode });

describe('the SMTP transport', () => {
  it('sends plain text with the headers of the store', async () => {
    const { port, received } = await startSmtp();
    expect(await transportAt(port).send(LETTER)).toBe(true);
    expect(received).toMatchObject([{ from: 'store@store.test', to: ['anna@example.com'] }]);
    const header = headerOf(received[0]?.raw ?? '');
    expect(header).toEqual(
      expect.arrayContaining([
        'From: App store <store@store.test>',
        'To: anna@example.com',
        'Subject: Hello',
        'Message-ID: <letter-1@store.test>',
        'Auto-Submitted: auto-generated',
        'Content-Type: text/plain; charset=utf-8',
      ]),
    );
  });

  it.each([
    ['subject', { subject: 'Hi\r\nBcc: evil@example.com\r\n\r\nBody' }],
    ['subject', { subject: 'Hi\nBcc: evil@example.com' }],
    ['subject', { subject: 'Hi\rBcc: evil@example.com' }],
    ['subject', { subject: 'Hi\u2028Bcc: evil@example.com' }],
    ['recipient', { to: 'anna@example.com\r\nBcc: evil@example.com' }],
    ['recipient', { to: 'anna@example.com, evil@example.com' }],
    ['recipient', { to: 'anna@example.com>\r\nRCPT TO:<evil@example.com' }],
    [
      'text',
      { text: 'x\r\n.\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<evil@example.com>\r\nDATA\r\nno\r\n.\r\n' },
    ],
  ])('sends no further headers, recipients or mails that the %s injects: %j', async (_what, change) => {
    const { port, received } = await startSmtp();
    await transportAt(port)
      .send({ ...LETTER, ...change })
      .catch(() => {});
    expect(received.length).toBeLessThan(2);
    for (const { to, raw } of received) {
      expect(to).toHaveLength(1);
      expect(to[0]).not.toBe('evil@example.com');
      expect(headerOf(raw).filter((line) => /^bcc:/i.test(line))).toEqual([]);
      expect(headerOf(raw).filter((line) => /^subject:/i.test(line))).toHaveLength(1);
    }
  });

  it('treats a reply 5yz to a recipient as permanent, but not 4yz or 5yz to the connection', async () => {
    const permanent = await startSmtp({ onRcptTo: (_address, _session, done) => done(refusal(550)) });
    expect(await transportAt(permanent.port).send(LETTER)).toBe(false);
    const later = await startSmtp({ onRcptTo: (_address, _session, done) => done(refusal(451)) });
    await expect(transportAt(later.port).send(LETTER)).rejects.toThrow(/EENVELOPE 451/);
    const closed = await startSmtp({ onConnect: (_session, done) => done(refusal(554)) });
    await expect(transportAt(closed.port).send(LETTER)).rejects.toThrow(/did not take it/);
  });

  it('times out when the server sends no greeting', async () => {
    const { port } = await startRaw(() => {});
    await expect(transportAt(port).send(LETTER)).rejects.toThrow(/ETIMEDOUT/);
  });

  it('fails when the server closes the connection before it acknowledges the mail', async () => {
    const { port } = await startRaw((socket) => {
      socket.write('220 here\r\n');
      socket.on('data', (data) => {
        const line = data.toString();
        if (/^EHLO/.test(line)) socket.write('250 here\r\n');
        else if (/^(MAIL|RCPT)/.test(line)) socket.write('250 ok\r\n');
        else if (/^DATA/.test(line)) socket.write('354 go on\r\n');
        else socket.destroy();
      });
    });
    await expect(transportAt(port).send(LETTER)).rejects.toThrow(/did not take it/);
  });

  it('sends no password without TLS, and no error repeats it', async () => {
    const { port, received } = await startSmtp({
      onAuth: (_auth, _session, done) => done(null, { user: 'u' }),
    });
    const transport = transportAt(port, { login: { user: 'user', pass: 'hunter2hunter2' } });
    const error = await transport.send(LETTER).catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(String((error as Error).stack)).not.toContain('hunter2');
    expect(received).toEqual([]);
  });
});
