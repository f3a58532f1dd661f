/** What a server says with a 401 (RFC 6750 section 3, RFC 9728 section 5.1). */
export type Challenge = { resourceMetadata: string | null; scopes: string[] | null };

/** Longest header that is looked at. */
const MAX_HEADER = 8 * 1024;

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";

/**
 * One step through a header: a parameter, quoted or not, or a word that may be the scheme of another challenge. No two parts
 * can take the same characters, so that it takes no longer for a hostile header.
 */
const STEP = new RegExp(`[\\s,]*(${TOKEN})(?:\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${TOKEN})))?`, 'y');

/** A scope (RFC 6749 section 3.3). */
const SCOPE = /^[!#-[\]-~]{1,200}$/;

/** Most scopes that are taken from one text. */
const MAX_SCOPES = 100;

/** The scopes of a text, those that can be ones. */
export const scopesIn = (text: string): string[] =>
  [...new Set(text.split(' '))].filter((word) => SCOPE.test(word)).slice(0, MAX_SCOPES);

/** The parameters of the first challenge of the scheme Bearer. */
function bearerParameters(header: string): Map<string, string> | null {
  const step = new RegExp(STEP);
  let parameters: Map<string, string> | null = null;
  for (let match = step.exec(header); match !== null; match = step.exec(header)) {
    const [, word = '', quoted, plain] = match;
    const value = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain;
    if (value === undefined) {
      if (parameters) return parameters;
      if (word.toLowerCase() === 'bearer') parameters = new Map();
    } else if (parameters && !parameters.has(word.toLowerCase())) parameters.set(word.toLowerCase(), value);
  }
  return parameters;
}

/**
 * Reads a `WWW-Authenticate` header.
 * @returns null when it does not ask for a bearer token
 */
export function readChallenge(header: string | null): Challenge | null {
  const parameters = header === null ? null : bearerParameters(header.slice(0, MAX_HEADER));
  if (!parameters) return null;
  const scopes = scopesIn(parameters.get('scope') ?? '');
  return {
    resourceMetadata: parameters.get('resource_metadata') ?? null,
    // RFC 6749 section 3.3 has at least one scope in the parameter: an empty one says nothing.
    scopes: scopes.length > 0 ? scopes : null,
  };
}
