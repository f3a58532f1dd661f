/** The challenge of a 401 response (RFC 6750 section 3, RFC 9728 section 5.1). */
export type Challenge = {
  /** URLs of the resource metadata, which may be relative: some servers name several. */
  resourceMetadata: string[];
  scopes: string[] | null;
  /** The error code (RFC 6750 section 3.1); null when the challenge has none. */
  error: string | null;
};

/** Maximum parsed length of the header, in characters. */
const MAX_HEADER = 8 * 1024;

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";

/** A value without quotes: some servers send a URL so. */
const PLAIN = '[^\\s,"=]+(?:=[^\\s,"]*)?';

/** Maximum number of URLs of metadata in one challenge. */
const MAX_PLACES = 4;

/**
 * One token of a header: a parameter, quoted or not, or a word that may be the scheme of another challenge. The parts are disjoint, so
 * that matching takes linear time for hostile headers too.
 */
const STEP = new RegExp(`[\\s,]*(${TOKEN})(?:\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${PLAIN})))?`, 'y');

/** A scope (RFC 6749 section 3.3). */
const SCOPE = /^[!#-[\]-~]{1,200}$/;

/** Maximum number of scopes per text. */
const MAX_SCOPES = 100;

/** The valid scopes of a text. */
export const scopesIn = (text: string): string[] =>
  [...new Set(text.split(' '))].filter((word) => SCOPE.test(word)).slice(0, MAX_SCOPES);

/** The parameters of all challenges of the scheme Bearer, in order: a gateway and the server behind it may send one each. */
function bearerParameters(header: string): [string, string][] | null {
  const step = new RegExp(STEP);
  let parameters: [string, string][] | null = null;
  let isBearer = false;
  for (let match = step.exec(header); match !== null; match = step.exec(header)) {
    const [, word = '', quoted, plain] = match;
    const value = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain;
    if (value === undefined) {
      isBearer = word.toLowerCase() === 'bearer';
      if (isBearer) parameters ??= [];
    } else if (isBearer) parameters?.push([word.toLowerCase(), value]);
  }
  return parameters;
}

/**
 * Reads a `WWW-Authenticate` header.
 * @returns null when it has no Bearer challenge
 */
export function readChallenge(header: string | null): Challenge | null {
  const parameters = header === null ? null : bearerParameters(header.slice(0, MAX_HEADER));
  if (!parameters) return null;
  const valuesOf = (name: string) => parameters.filter(([key]) => key === name).map(([, value]) => value);
  const scopes = scopesIn(valuesOf('scope')[0] ?? '');
  return {
    resourceMetadata: [...new Set(valuesOf('resource_metadata'))].slice(0, MAX_PLACES),
    // RFC 6749 section 3.3 requires at least one scope: an empty parameter is ignored.
    scopes: scopes.length > 0 ? scopes : null,
    error: valuesOf('error')[0]?.toLowerCase() ?? null,
  };
}
