import type { MailTransport } from '../../mail/mail-transport.ts';
import type { Log } from '../../platform/system.ts';

/**
 * For stores without a mail server: the operator reads the mails in the log, links and all, and passes them on. It is the
 * one place where a link is ever logged.
 */
export const createLogTransport = (log: Log): MailTransport => ({
  async send({ to, subject, text }) {
    log.info({ to, subject, text }, 'A mail was not sent: set SVC_SMTP_URL to a mail server.');
    return true;
  },
});
