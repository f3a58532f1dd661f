/** Characters that mean the same with and without percent-encoding (RFC 3986 section 2.3). */
const UNRESERVED = /[\w.~-]/;

/**
 * The canonical form of the address of a server, for comparing: letter case of host and scheme, the usual port, `.` and `..`, the
 * root's dot of a host, needless percent-encoding (RFC 3986 section 6.2.2 and 6.2.3) and a slash at the end say nothing; nor does a
 * fragment, which is never sent.
 * @returns the text itself when it is no address
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

/** Whether two addresses are of the same server. */
export const isSameAddress = (a: string, b: string): boolean =>
  a === b || canonicalAddress(a) === canonicalAddress(b);
