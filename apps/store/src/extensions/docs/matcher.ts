/** Creates a test of whether texts contain every word of a query, in any case. */
export const matcher = (query: string): ((...texts: string[]) => boolean) => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return (...texts) => {
    const text = texts.join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
};
