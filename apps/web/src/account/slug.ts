/** Length of a short name, as the store limits it. */
export const MAX_SLUG = 40;

/** A short name for a publisher from its name: its Latin letters and digits, in words with hyphens; empty where it has none. */
export function slugOf(name: string): string {
  const letters = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  let slug = '';
  for (const word of letters.split(/[^a-z0-9]+/).filter((part) => part !== '')) {
    const next = slug === '' ? word.slice(0, MAX_SLUG) : `${slug}-${word}`;
    if (next.length > MAX_SLUG) break;
    slug = next;
  }
  return slug;
}
