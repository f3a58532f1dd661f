import { createTransport } from 'nodemailer';
import type { MailServer } from '../../core/mail/send-mails.ts';
import type { SmtpSettings } from './smtp-settings.ts';

/** Timeouts of the mail server, in milliseconds: to connect, to greet, and between two responses. */
const TIMEOUTS = {
  dnsTimeout: 5_000,
  connectionTimeout: 5_000,
  greetingTimeout: 5_000,
  socketTimeout: 10_000,
};

type SmtpError = Error & { code?: string; responseCode?: number };

/** Whether the mail server refuses this mail permanently (RFC 5321 section 4.2.1: 5yz). */
const isForGood = ({ code, responseCode = 0 }: SmtpError): boolean =>
  (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode >= 500;

/** Sends plain text mails to an SMTP server. A password is only sent over TLS. */
export function createSmtpTransport(
  { host, port, secure, login, from }: SmtpSettings,
  baseUrl: string,
): MailServer {
  const domain = new URL(baseUrl).hostname;
  const transport = createTransport({
    host,
    port,
    secure,
    ...TIMEOUTS,
    ...(login !== null && { auth: login, requireTLS: !secure }),
    // Mail content must not make the library read files or URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  /** Without the answer of the server, which may repeat an address or a login. */
  const faultOf = ({ code, responseCode }: SmtpError) =>
    new Error(`The mail server did not take it: ${code ?? 'unknown'} ${responseCode ?? ''}`.trim());
  return {
    async check() {
      await transport.verify().catch((error: SmtpError) => {
        throw faultOf(error);
      });
    },
    async send({ id, to, subject, text, unsubscribe }) {
      try {
        await transport.sendMail({
          from,
          // An object, so that no part of the text is parsed as a second address.
          to: { name: '', address: to },
          subject,
          text,
          messageId: `<${id}@${domain}>`,
          // RFC 3834 section 5: prevents automatic replies.
          headers: {
            'Auto-Submitted': 'auto-generated',
            ...(unsubscribe !== undefined && {
              'List-Unsubscribe': `<${unsubscribe}>`,
              'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
            }),
          },
        });
        return true;
      } catch (error) {
        const failed = error as SmtpError;
        if (isForGood(failed)) return false;
        throw faultOf(failed);
      }
    },
  };
}
