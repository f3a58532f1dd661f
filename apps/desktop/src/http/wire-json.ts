/** JSON for the page. What is a map here, such as the tools of a footprint, is an object there: JSON alone would send it empty. */
export const wireJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (inner instanceof Map ? Object.fromEntries(inner) : inner));
