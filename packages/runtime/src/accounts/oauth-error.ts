import { cleanLine } from '@svc/text';

/** Longest text of a server that is shown. */
const MAX_TEXT = 200;

/** An error code of OAuth (RFC 6749 section 5.2), as long as it is one that can be shown. */
const ERROR_CODE = /^[!#-[\]-~]{1,60}$/;

/**
 * What went wrong between us and a sign-in server. The message is safe to show: it holds no secret, and no error that could
 * hold one is its cause.
 */
export class OAuthError extends Error {
  /** What the server itself said (RFC 6749 section 5.2), or null when it did not say anything of that kind. */
  readonly oauthError: string | null;

  constructor(message: string, oauthError: string | null = null) {
    super(message);
    this.name = 'OAuthError';
    this.oauthError = oauthError;
  }
}

/** How a server might send a secret back. */
const encodingsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  ...(['base64', 'base64url', 'hex'] as const).map((encoding) => Buffer.from(secret).toString(encoding)),
];

/** Shortest piece of a secret that gives something away. */
const PIECE = 12;

/** Whether a text repeats a secret or a good piece of one. */
function repeatsSecret(text: string, secret: string): boolean {
  const windows = Array.from({ length: Math.max(0, text.length - PIECE + 1) }, (_, at) =>
    text.slice(at, at + PIECE),
  );
  return encodingsOf(secret).some((form) =>
    form.length <= PIECE ? text.includes(form) : windows.some((window) => form.includes(window)),
  );
}

/**
 * The refusal of a server, in words that can be shown: of what it says, what is short, printable and repeats no secret.
 * @param secrets what the server knows and nobody else may read
 */
export function oauthErrorFrom(
  answer: { error: string; error_description?: string | undefined },
  secrets: readonly (string | null)[],
): OAuthError {
  const known = secrets.filter((secret): secret is string => secret !== null && secret !== '');
  const isSafe = (text: string) => !known.some((secret) => repeatsSecret(text, secret));
  const code = ERROR_CODE.test(answer.error) && isSafe(answer.error) ? answer.error : null;
  const text = cleanLine(answer.error_description ?? '', MAX_TEXT);
  // The secret is looked for without the gaps that cleaning may have put into it, too.
  const said = text !== '' && isSafe(text) && isSafe(text.replaceAll(' ', '')) ? `: ${text}` : '';
  // RFC 6749 section 5.2 has the codes in lower case; some servers do not.
  return new OAuthError(
    `The authorization server refuses (${code ?? 'without a reason'})${said}`,
    code?.toLowerCase() ?? null,
  );
}
