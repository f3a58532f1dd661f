import { cleanLine } from '@svc/text';
import type { SignInCause } from '../platform/runtime-error.ts';

/** Maximum shown length of a server's text, in characters. */
const MAX_TEXT = 200;

/** An OAuth error code (RFC 6749 section 5.2) that is safe to show. */
const ERROR_CODE = /^[!#-[\]-~]{1,60}$/;

/**
 * An error in the communication with an authorization server. The message is safe to show. There is no `cause`, as it could contain
 * a secret.
 */
export class OAuthError extends Error {
  /** The error code of the server (RFC 6749 section 5.2); null when it sent none. */
  readonly oauthError: string | null;
  readonly reason: SignInCause;

  constructor(message: string, oauthError: string | null = null, reason: SignInCause = 'protocol') {
    super(message);
    this.name = 'OAuthError';
    this.oauthError = oauthError;
    this.reason = reason;
  }
}

/** The cause of an error code: the user declined, or the server refuses (RFC 6749 section 4.1.2.1). */
const causeOf = (code: string | null): SignInCause => (code === 'access_denied' ? 'denied' : 'refused');

/** Encodings in which a server might echo a secret. */
const encodingsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  ...(['base64', 'base64url', 'hex'] as const).map((encoding) => Buffer.from(secret).toString(encoding)),
];

/** Length of the shortest part of a secret that must not be shown. */
const PIECE = 12;

/** Whether a text contains a secret, or a part of at least `PIECE` characters. */
function repeatsSecret(text: string, secret: string): boolean {
  return encodingsOf(secret).some((form) => {
    const size = Math.min(PIECE, form.length);
    const starts = Array.from({ length: Math.max(0, text.length - size + 1) }, (_, at) => at);
    return starts.some((at) => form.includes(text.slice(at, at + size)));
  });
}

/**
 * Builds an error from an OAuth error response. Text of the server is included only if it is short, printable and free of secrets.
 * @param secrets values that the server knows and that must not be shown
 */
export function oauthErrorFrom(
  answer: { error: string; error_description?: string | undefined },
  secrets: readonly (string | null)[],
): OAuthError {
  const known = secrets.filter((secret): secret is string => secret !== null && secret !== '');
  const isSafe = (text: string) => !known.some((secret) => repeatsSecret(text, secret));
  const code = ERROR_CODE.test(answer.error) && isSafe(answer.error) ? answer.error : null;
  const text = cleanLine(answer.error_description ?? '', MAX_TEXT);
  // Cleaning may have inserted spaces into a secret, so the text is checked without them too.
  const said = text !== '' && isSafe(text) && isSafe(text.replaceAll(' ', '')) ? `: ${text}` : '';
  // RFC 6749 section 5.2 defines the codes in lower case; some servers send others.
  const lower = code?.toLowerCase() ?? null;
  return new OAuthError(
    `The authorization server refuses (${code ?? 'without a reason'})${said}`,
    lower,
    causeOf(lower),
  );
}
