/** The longest linked address, in characters. */
const MAX_CHARACTERS = 2_000;

/**
 * The normalised form of a link's address (URL standard), so that every parser reads it in the same way; null when the link is not
 * allowed.
 *
 * Only https and mailto are allowed: other schemes run scripts or open programs, and relative links would lead into the store. User
 * information before the host is refused, as it can be mistaken for the host; the query of a mailto link is removed, as it fills in
 * the mail.
 */
export function safeAddress(written: string): string | null {
  if (written.length > MAX_CHARACTERS) return null;
  const url = URL.parse(written);
  if (url?.protocol === 'mailto:') return url.pathname.includes('@') ? `mailto:${url.pathname}` : null;
  const isPlain = url?.protocol === 'https:' && url.username === '' && url.password === '';
  return isPlain && url.href.length <= MAX_CHARACTERS ? url.href : null;
}
