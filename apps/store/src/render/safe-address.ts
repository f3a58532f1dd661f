/** Longest address that is linked to. */
const MAX_CHARACTERS = 2_000;

/**
 * Where a link may lead, written as browsers would understand it (URL standard), so that nobody reads anything else into
 * it; null when it may not lead there.
 *
 * Only https and mail: other schemes run scripts or open programs, and what is relative would lead into the store
 * itself. A name before the host is refused because it passes for the host; whatever follows an address of mail because
 * it fills in the letter.
 */
export function safeAddress(written: string): string | null {
  if (written.length > MAX_CHARACTERS) return null;
  const url = URL.parse(written);
  if (url?.protocol === 'mailto:') return url.pathname.includes('@') ? `mailto:${url.pathname}` : null;
  const isPlain = url?.protocol === 'https:' && url.username === '' && url.password === '';
  return isPlain && url.href.length <= MAX_CHARACTERS ? url.href : null;
}
