import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../../src/composition/commands/run-command.ts';
import { readSettings } from '../../../src/composition/settings.ts';

const ambient = {
  clock: () => new Date(),
  random: (n: number) => new Uint8Array(n),
  newId: () => 'id',
  fetch,
  log: { info() {}, warn() {}, error() {} },
};

const mailTest = (address: string, environment: Record<string, string>) =>
  runCommand(['mail-test', address], () => readSettings(environment), ambient);

/** A mail server that answers RCPT as given (RFC 5321 section 4.2), and what it was told. */
async function mailServer(rcpt: string) {
  const told: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('220 mail.example.com\r\n');
    socket.on('data', (data) => {
      const line = data.toString();
      told.push(line);
      if (line.startsWith('RCPT')) socket.write(`${rcpt}\r\n`);
      else if (line.startsWith('DATA')) socket.write('354 go on\r\n');
      else if (line.startsWith('QUIT')) socket.end('221 bye\r\n');
      else socket.write('250 ok\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    told,
    environment: { SVC_SMTP_URL: `smtp://127.0.0.1:${port}`, SVC_MAIL_FROM: 'store@example.com' },
  };
}

describe('svc-store mail-test', () => {
  it('sends one mail, and says what the server answered', async () => {
    const { told, environment } = await mailServer('250 ok');
    expect(await mailTest('you@example.com', environment)).toEqual({
      line: expect.stringMatching(/^127\.0\.0\.1:\d+ took the mail to you@example\.com/),
    });
    expect(told.join('')).toContain('can send mail');
    const refusing = await mailServer('550 no such mailbox');
    await expect(mailTest('you@example.com', refusing.environment)).rejects.toThrow(/refuses the mail/);
  });

  it('says what to set, and what it takes', async () => {
    await expect(mailTest('you@example.com', {})).rejects.toThrow(/SVC_SMTP_URL/);
    await expect(mailTest('you', {})).rejects.toThrow(/email address/);
    const away = { SVC_SMTP_URL: 'smtp://u:geheim@127.0.0.1:1', SVC_MAIL_FROM: 'store@example.com' };
    const refused = await mailTest('you@example.com', away).catch((error: Error) => error.message);
    expect(refused).toMatch(/127\.0\.0\.1:1 did not take the mail/);
    expect(refused).not.toContain('geheim');
  });
});
