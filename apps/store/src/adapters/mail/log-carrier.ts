import type { Carrier } from '../../mail/carrier.ts';
import type { Log } from '../../platform/system.ts';

/**
 * For stores without a mail server: the operator reads the mails in the log, links and all, and passes them on. It is the
 * one place where a link is ever logged.
 */
export const createLogCarrier = (log: Log): Carrier => ({
  async carry({ to, subject, text }) {
    log.info({ to, subject, text }, 'A mail that no mail server is set for: SVC_SMTP_URL.');
    return true;
  },
});
