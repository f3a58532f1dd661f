export type MailMessage = {
  id: string;
  to: string;
  subject: string;
  text: string;
  /** The URL that ends mails like this one, with one click of a mail program too (RFC 8058). */
  unsubscribe?: string;
};

/** Sends mails: over SMTP, or to the log. */
export interface MailTransport {
  /**
   * Sends a mail.
   * @returns false when the mail was refused permanently
   * @throws when a retry may succeed; the error contains no secret
   */
  send(mail: MailMessage): Promise<boolean>;
}
