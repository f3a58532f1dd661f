import { LIMITS } from '@svc/contracts/vocabulary';
import { isDomain, isTooBroad } from '../hosts.ts';
import { misspeltIn } from '../misspelt.ts';
import { errorRule, inManifest, storeErrorRule, warningRule } from '../rule.ts';
import { show } from '../text.ts';
import { badItems, isFields, own } from '../values.ts';
import { hosts, repairDomain } from './remote.ts';

const local = { remote: undefined, grants: ['network'] } as const;
const domain = 'api.example.com';
const withDomains = (...domains: string[]) => ({ ...local, network: { domains } });

/** The hosts that built-in and local apps may connect to; a store app uses `remote.domains`. */
export const networkRules = [
  errorRule('network.format', 'network', {
    message: (value) =>
      `"network" must be an object with "domains", a list of host names.${misspeltIn(value, 'domains')}`,
    why: 'The client compares the host of each request with the list.',
    example: inManifest('/network', { ...local, network: [domain] }, withDomains(domain), 'dev'),
    fails: (network) => {
      if (network === undefined) return false;
      if (!isFields(network)) return true;
      const spots = badItems(own(network, 'domains'), (item) => typeof item === 'string');
      if (typeof spots === 'boolean') return spots;
      return spots.map(({ at, value }) => ({ at: ['domains', ...at], value }));
    },
  }),
  storeErrorRule('network.store', 'network.present', {
    message: 'Only built-in and local apps may have "network": list the hosts in "remote.domains" instead.',
    why: 'A store app connects to hosts through its panels and through the client. Both use "remote.domains".',
    example: inManifest(
      '/network',
      { network: { domains: [domain] }, grants: [] },
      { network: undefined, grants: [] },
    ),
    fails: (network) => network !== undefined,
  }),
  warningRule('network.grant', 'network.fields', {
    message: (_value, { mode }) =>
      `Without the grant "network" these domains have no effect: ${mode === 'store' ? '' : 'add it to "grants", or '}remove them.`,
    why: 'The list only limits what the grant allows. Without the grant it has no effect.',
    example: inManifest('/network', { ...withDomains(domain), grants: [] }, withDomains(domain), 'dev'),
    fails: (_network, { facts }) => facts.grants !== undefined && !facts.grants.has('network'),
  }),
  errorRule('network.domains.count', 'network.domains.list', {
    message: `"network.domains" may have at most ${LIMITS.network.domains} entries: replace hosts of the same domain by a wildcard such as "*.example.com".`,
    why: 'Users cannot review a longer list.',
    example: inManifest(
      '/network/domains',
      withDomains(...hosts(LIMITS.network.domains + 1)),
      withDomains('*.example.com'),
      'dev',
    ),
    fails: (domains) => domains.length > LIMITS.network.domains,
  }),
  errorRule('network.domain', 'network.domain', {
    message: (value) =>
      `${show(value)} is not a host name: write it as "api.example.com" or "*.example.com", without scheme, path or port.`,
    why: 'The client compares the entry with the host of each request, so anything else would never match.',
    example: inManifest(
      '/network/domains/0',
      withDomains('api.example.com:8080'),
      withDomains(domain),
      'dev',
    ),
    fails: (entry, { mode }) => !isDomain(entry, mode),
    repair: repairDomain,
  }),
  errorRule('network.domain.broad', 'network.domain', {
    message: (value) =>
      `${show(value)} includes hosts of other owners: use your own domain, such as "*.example.com".`,
    why: 'Under a public suffix, each domain can have a different owner.',
    example: inManifest('/network/domains/0', withDomains('*.co.uk'), withDomains('*.example.co.uk'), 'dev'),
    fails: (entry) => isTooBroad(entry),
  }),
] as const;
