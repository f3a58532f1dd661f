/**
 * How endpoints on `localhost` are treated: `refuse` does not allow http, `warn` allows them with a warning.
 * It is `warn` in dev mode, and in a store that runs on the developer's own machine.
 */
export type Localhost = 'refuse' | 'warn';

/** The effective option: dev mode never refuses endpoints on `localhost`. */
export const localhostIn = (mode: 'store' | 'dev', option: Localhost = 'refuse'): Localhost =>
  mode === 'dev' ? 'warn' : option;
