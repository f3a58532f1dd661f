/**
 * What is said of endpoints on `localhost`: `refuse` takes none over http, `warn` takes them as a developer's own machine.
 * It is `warn` in dev mode, and in a store that stands on one's own machine itself.
 */
export type Localhost = 'refuse' | 'warn';

/** What holds where a caller may have said it: dev mode never refuses them. */
export const localhostIn = (mode: 'store' | 'dev', said: Localhost = 'refuse'): Localhost =>
  mode === 'dev' ? 'warn' : said;
