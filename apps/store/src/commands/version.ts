import { readFileSync } from 'node:fs';

/** The version of this program: that of its package, which stands above `src/` in the repository and once built. */
export const versionOf = (): string =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
