import { Email } from '@svc/contracts';
import { SettingError } from '../settings.ts';
import { type Command, CommandError } from './command.ts';

/** `svc-store mail-test` */
export const mailTestCommand: Command = {
  name: 'mail-test',
  operands: ['ADDRESS'],
  options: {},
  summary:
    'send one mail to ADDRESS with the mail server of the settings, and report what the server answers',
  async run({ operands: [address] }, { smtp, baseUrl }, { newId }) {
    const to = Email.safeParse(address);
    if (!to.success) throw new SettingError('Give an email address: svc-store mail-test you@example.com.');
    if (smtp === null)
      throw new CommandError(
        'No mail server is set: the store writes mails to its log. Set SVC_SMTP_URL and SVC_MAIL_FROM.',
      );
    // Loaded on demand, as the other commands send no mail.
    const { createSmtpTransport } = await import('../../adapters/mail/smtp-transport.ts');
    const text = `The app store at ${baseUrl} can send mail.`;
    const mail = { id: newId(), to: to.data, subject: `Test mail of ${new URL(baseUrl).host}`, text };
    const isSent = await createSmtpTransport(smtp, baseUrl)
      .send(mail)
      .catch((error: Error) => {
        throw new CommandError(`${smtp.host}:${smtp.port} did not take the mail: ${error.message}`);
      });
    if (!isSent)
      throw new CommandError(
        `${smtp.host}:${smtp.port} refuses the mail for good: check that SVC_MAIL_FROM may send, and the address.`,
      );
    return `${smtp.host}:${smtp.port} took the mail to ${to.data}: look into that mailbox, and into its spam.`;
  },
};
