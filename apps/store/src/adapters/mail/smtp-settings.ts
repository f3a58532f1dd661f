import { unbracketed } from '@svc/contracts/this-machine';
/** The mail server, and the sender of mails. */
export type SmtpSettings = {
  host: string;
  port: number;
  /** TLS from the first byte; otherwise STARTTLS (RFC 3207). */
  secure: boolean;
  login: { user: string; pass: string } | null;
  from: string;
};

/** Ports of submission with TLS from the start and by STARTTLS (RFC 8314 section 3). */
const PORTS = { 'smtps:': 465, 'smtp:': 587 };

/**
 * Reads `smtp(s)://user:password@host:port`.
 * @returns the settings, or what is wrong with them; never repeats the text, which may contain a password
 */
export function readSmtpUrl(text: string): Omit<SmtpSettings, 'from'> | { fault: string } {
  const fault = { fault: 'must be smtp://user:password@host:port, or smtps://…' };
  if (!URL.canParse(text)) return fault;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  if ((protocol !== 'smtp:' && protocol !== 'smtps:') || hostname === '') return fault;
  if (pathname.length > 1 || search !== '' || hash !== '' || (username === '') !== (password === ''))
    return fault;
  try {
    return {
      host: unbracketed(hostname),
      port: port === '' ? PORTS[protocol] : Number(port),
      secure: protocol === 'smtps:',
      login:
        username === '' ? null : { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    };
  } catch {
    return fault;
  }
}
