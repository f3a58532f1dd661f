import type { Resolver } from 'node:dns/promises';
import type { Sites, TxtAnswer } from '../../publishers/site.ts';
import { DNS_FAULTS } from './dns-faults.ts';
import type { SiteFileDeps } from './read-site-file.ts';

export type SiteDeps = SiteFileDeps & {
  /** Whom to ask for addresses and records. */
  resolver: Pick<Resolver, 'resolveTxt'>;
};

const dnsFault = (error: unknown): string =>
  DNS_FAULTS[(error as NodeJS.ErrnoException).code ?? ''] ?? 'The name server could not be asked';

/** Websites as they really are. */
export const createSites = (deps: SiteDeps): Sites => ({
  async txt(name): Promise<TxtAnswer> {
    try {
      const records = await deps.resolver.resolveTxt(name);
      // A text is cut into strings of 255 bytes (RFC 1035 section 3.3.14).
      return { texts: records.map((strings) => strings.join('')) };
    } catch (error) {
      return { fault: dnsFault(error) };
    }
  },
  async file(host, path) {
    // The client that it takes is large, and needed seldom.
    const { readSiteFile } = await import('./read-site-file.ts');
    return readSiteFile(deps, host, path);
  },
});
