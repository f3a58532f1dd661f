import type { MailTransport } from '../../features/mail/send-mails.ts';
import type { Log } from '../../platform/system.ts';

/**
 * Writes mails to the log, for stores without a mail server: the operator reads them there, including their links, and forwards them.
 * No other code logs a link.
 */
export const createLogTransport = (log: Log): MailTransport => ({
  async send({ to, subject, text }) {
    log.info({ to, subject, text }, 'A mail was not sent: set SVC_SMTP_URL to a mail server.');
    return true;
  },
});
