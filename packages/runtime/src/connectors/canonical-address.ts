/** Characters for which percent-encoding makes no difference (RFC 3986 section 2.3). */
const UNRESERVED = /[\w.~-]/;

/**
 * The canonical form of a server URL, for comparison. Ignored are: letter case of scheme and host, the default port, `.` and `..`, the
 * trailing dot of a host, unnecessary percent-encoding (RFC 3986 section 6.2.2 and 6.2.3), a trailing slash, and the fragment, which
 * is never sent.
 * @returns the text itself when it is not a URL
 */
export function canonicalAddress(text: string): string {
  const url = URL.parse(text);
  if (!url) return text;
  url.hash = '';
  url.hostname = url.hostname.replace(/\.$/, '');
  url.pathname = url.pathname
    .replace(/%[0-9a-f]{2}/gi, (code) => {
      const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return UNRESERVED.test(character) ? character : code.toUpperCase();
    })
    .replace(/\/$/, '');
  return url.href;
}

/** Whether two URLs are of the same server. */
export const isSameAddress = (a: string, b: string): boolean =>
  a === b || canonicalAddress(a) === canonicalAddress(b);
