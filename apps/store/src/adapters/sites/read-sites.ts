import type { Resolver } from 'node:dns/promises';
import { isLocalNetworkAddress } from '@svc/contracts/public-address';
import type { Sites, TxtAnswer } from '../../core/publishers/site.ts';
import { addressesOf, DNS_FAULTS } from './addresses.ts';
import type { SiteFileDeps } from './read-site-file.ts';

export type SiteDeps = SiteFileDeps & {
  /** The DNS resolver for addresses and records. */
  resolver: Pick<Resolver, 'resolveTxt'>;
};

const dnsFault = (error: unknown): string =>
  DNS_FAULTS[(error as NodeJS.ErrnoException).code ?? ''] ?? 'The name server could not be asked';

/** Reads websites of the Internet. */
export const createSites = (deps: SiteDeps): Sites => ({
  async txt(name): Promise<TxtAnswer> {
    try {
      const records = await deps.resolver.resolveTxt(name);
      // A TXT record is split into strings of 255 bytes (RFC 1035 section 3.3.14).
      return { texts: records.map((strings) => strings.join('')) };
    } catch (error) {
      return { fault: dnsFault(error) };
    }
  },
  async isPrivate(host) {
    const found = await addressesOf(deps, host).catch(() => []);
    return found.some(({ address }) => isLocalNetworkAddress(address) && !deps.isAllowed(address, host));
  },
  async file(host, path, options) {
    // Loaded on demand: the HTTP client is large, and seldom needed.
    const { readSiteFile } = await import('./read-site-file.ts');
    return readSiteFile(deps, host, path, options);
  },
  async post(url, headers, body) {
    const { postToSite } = await import('./read-site-file.ts');
    return postToSite(deps, url, headers, body);
  },
});
