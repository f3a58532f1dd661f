/** Compares texts by their UTF-16 code units, as RFC 8785 orders keys: the order is the same on every machine. */
export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
