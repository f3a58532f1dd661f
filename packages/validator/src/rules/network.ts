import { LIMITS } from '@svc/contracts/vocabulary';
import { isDomain, isTooBroad } from '../hosts.ts';
import { misspeltIn } from '../misspelt.ts';
import { errorRule, inManifest, storeErrorRule, warningRule } from '../rule.ts';
import { show } from '../text.ts';
import { badItems, isFields, own } from '../values.ts';
import { repairDomain } from './remote.ts';

const local = { remote: undefined, grants: ['network'] } as const;

/** The hosts that built-in and local apps may connect to; a store app uses `remote.domains`. */
export const networkRules = [
  errorRule('network.format', 'network', {
    message: (value) =>
      `"network" must be an object with "domains", a list of host names.${misspeltIn(value, 'domains')}`,
    why: 'The client compares the host of each request with the list.',
    example: {
      path: '/network',
      mode: 'dev',
      broken: { manifest: { ...local, network: ['api.example.com'] } },
      fixed: { manifest: { ...local, network: { domains: ['api.example.com'] } } },
    },
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
      { network: { domains: ['api.example.com'] }, grants: [] },
      { network: undefined, grants: [] },
    ),
    fails: (network) => network !== undefined,
  }),
  warningRule('network.grant', 'network.fields', {
    message: (_value, { mode }) =>
      `Without the grant "network" these domains have no effect: ${mode === 'store' ? '' : 'add it to "grants", or '}remove them.`,
    why: 'The list only limits what the grant allows. Without the grant it has no effect.',
    example: {
      path: '/network',
      mode: 'dev',
      broken: { manifest: { ...local, grants: [], network: { domains: ['api.example.com'] } } },
      fixed: { manifest: { ...local, network: { domains: ['api.example.com'] } } },
    },
    fails: (_network, { facts }) => facts.grants !== undefined && !facts.grants.has('network'),
  }),
  errorRule('network.domains.count', 'network.domains.list', {
    message: `"network.domains" may have at most ${LIMITS.network.domains} entries: replace hosts of the same domain by a wildcard such as "*.example.com".`,
    why: 'Users cannot review a longer list.',
    example: {
      path: '/network/domains',
      mode: 'dev',
      broken: { manifest: { ...local, network: { domains: hosts(LIMITS.network.domains + 1) } } },
      fixed: { manifest: { ...local, network: { domains: ['*.example.com'] } } },
    },
    fails: (domains) => domains.length > LIMITS.network.domains,
  }),
  errorRule('network.domain', 'network.domain', {
    message: (value) =>
      `${show(value)} is not a host name: write it as "api.example.com" or "*.example.com", without scheme, path or port.`,
    why: 'The client compares the entry with the host of each request, so anything else would never match.',
    example: {
      path: '/network/domains/0',
      mode: 'dev',
      broken: { manifest: { ...local, network: { domains: ['api.example.com:8080'] } } },
      fixed: { manifest: { ...local, network: { domains: ['api.example.com'] } } },
    },
    fails: (domain, { mode }) => !isDomain(domain, mode),
    repair: repairDomain,
  }),
  errorRule('network.domain.broad', 'network.domain', {
    message: (value) =>
      `${show(value)} includes hosts of other owners: use your own domain, such as "*.example.com".`,
    why: 'Under a public suffix, each domain can have a different owner.',
    example: {
      path: '/network/domains/0',
      mode: 'dev',
      broken: { manifest: { ...local, network: { domains: ['*.co.uk'] } } },
      fixed: { manifest: { ...local, network: { domains: ['*.example.co.uk'] } } },
    },
    fails: (domain) => isTooBroad(domain),
  }),
] as const;

function hosts(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `host${index + 1}.example.com`);
}
