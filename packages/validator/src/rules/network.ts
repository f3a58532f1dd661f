import { LIMITS } from '@svc/contracts/vocabulary';
import { isDomain, isTooBroad } from '../hosts.ts';
import { misspeltIn } from '../misspelt.ts';
import { defineRule } from '../rule.ts';
import { show } from '../text.ts';
import { badItems, isFields, own } from '../values.ts';
import { repairDomain } from './remote.ts';

const local = { remote: undefined, grants: ['network'] } as const;

/** The hosts that built-in and local apps may reach; a store app lists them elsewhere. */
export const networkRules = [
  defineRule({
    code: 'network.format',
    level: 'error',
    target: 'network',
    message: (value) =>
      `"network" must be an object with "domains", a list of host names.${misspeltIn(value, 'domains')}`,
    why: 'What an app may reach has to be a list that can be compared with each request.',
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
  defineRule({
    code: 'network.store',
    level: 'store-error',
    target: 'network.present',
    message: 'Only built-in and local apps have "network": list the hosts in "remote.domains" instead.',
    why: 'A store app reaches hosts through its panel and through the client, and both go by "remote.domains".',
    example: {
      path: '/network',
      broken: { manifest: { network: { domains: ['api.example.com'] }, grants: [] } },
      fixed: { manifest: { network: undefined, grants: [] } },
    },
    fails: (network) => network !== undefined,
  }),
  defineRule({
    code: 'network.grant',
    level: 'warning',
    target: 'network.fields',
    message: (_value, { mode }) =>
      `Without the grant "network" these domains have no effect: ${mode === 'store' ? '' : 'ask for it in "grants", or '}remove them.`,
    why: 'The list only narrows what the grant allows; alone it allows nothing.',
    example: {
      path: '/network',
      mode: 'dev',
      broken: { manifest: { ...local, grants: [], network: { domains: ['api.example.com'] } } },
      fixed: { manifest: { ...local, network: { domains: ['api.example.com'] } } },
    },
    fails: (_network, { facts }) => facts.grants !== undefined && !facts.grants.has('network'),
  }),
  defineRule({
    code: 'network.domains.count',
    level: 'error',
    target: 'network.domains.list',
    message: `"network.domains" may hold ${LIMITS.network.domains} entries at most: put hosts of one domain behind "*.".`,
    why: 'A list nobody can read through narrows nothing.',
    example: {
      path: '/network/domains',
      mode: 'dev',
      broken: { manifest: { ...local, network: { domains: hosts(LIMITS.network.domains + 1) } } },
      fixed: { manifest: { ...local, network: { domains: ['*.example.com'] } } },
    },
    fails: (domains) => domains.length > LIMITS.network.domains,
  }),
  defineRule({
    code: 'network.domain',
    level: 'error',
    target: 'network.domain',
    message: (value) =>
      `${show(value)} is not a host name: write "api.example.com" or "*.example.com", with no scheme, path or port.`,
    why: 'The entry is compared with the host of every request; anything else in it would match nothing.',
    example: {
      path: '/network/domains/0',
      mode: 'dev',
      broken: { manifest: { ...local, network: { domains: ['api.example.com:8080'] } } },
      fixed: { manifest: { ...local, network: { domains: ['api.example.com'] } } },
    },
    fails: (domain, { mode }) => !isDomain(domain, mode),
    repair: repairDomain,
  }),
  defineRule({
    code: 'network.domain.broad',
    level: 'error',
    target: 'network.domain',
    message: (value) => `${show(value)} covers hosts of strangers: name one domain, as in "*.example.com".`,
    why: 'Below a public suffix every name belongs to another owner.',
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
