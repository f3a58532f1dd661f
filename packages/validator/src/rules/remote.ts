import { LIMITS } from '@svc/contracts/vocabulary';
import { classifyEndpoint, isDomain, isTooBroad, suggestDomain } from '../hosts.ts';
import { misspeltIn } from '../misspelt.ts';
import { repairSpace } from '../repairs.ts';
import { type Context, errorRule, inManifest, inObject, type Repair, warningRule } from '../rule.ts';
import { show } from '../text.ts';
import { badItems, isFields, own } from '../values.ts';

const mcpUrl = 'https://mcp.example.com/mcp';
const remote = { mcpUrl, domains: [] } as const;
const inRemote = inObject('/remote', remote, (changed) => ({ remote: changed }));

/** The MCP server, and the other hosts that the app connects to. */
export const remoteRules = [
  errorRule('remote.and-server', 'manifest.fields', {
    message: 'An app cannot have both "remote" and "server": remove "server".',
    why: 'With two servers it would be unclear which of them gets a tool call.',
    example: inManifest('/server', { server: 'server.js' }, { server: undefined }, 'dev'),
    fails: (fields) =>
      own(fields, 'remote') !== undefined && own(fields, 'server') !== undefined
        ? [{ at: ['server'], value: own(fields, 'server') }]
        : false,
  }),
  errorRule('remote.missing', 'remote', {
    message: (value) =>
      `"remote" must be an object with "mcpUrl" and "domains" ([] if there are no other hosts).${misspeltIn(value, 'mcpUrl')}${misspeltIn(value, 'domains')}`,
    why: 'The tools of a store app run on a server. Clients need its URL, and reviewers need the list of all other hosts.',
    example: inManifest('/remote', { remote: { mcpUrl } }, { remote }),
    fails: (remote, { mode }) => {
      if (!isFields(remote)) return mode === 'store' || remote !== undefined;
      if (mode === 'dev') return false;
      return own(remote, 'mcpUrl') === undefined || own(remote, 'domains') === undefined;
    },
  }),
  errorRule('remote.url', 'remote.mcpUrl', {
    message: (value) =>
      `"mcpUrl" must be an https URL with a full host name, without user name, fragment and spaces, and not on localhost, such as "${mcpUrl}", not ${show(value)}.`,
    why: 'The client sends tokens and files of the user there, so the connection must be encrypted and the URL must be unambiguous.',
    example: inRemote('/mcpUrl', { mcpUrl: 'http://mcp.example.com/mcp' }),
    fails: (url, { localhost }) => url !== undefined && classifyEndpoint(url, localhost) === 'refused',
    repair: (value, { localhost }) =>
      repairSpace(value, (url) => classifyEndpoint(url, localhost) !== 'refused'),
  }),
  warningRule('remote.localhost', 'remote.mcpUrl', {
    message: (value) => `${show(value)} is on your own machine: use a public https URL before you publish.`,
    why: "It works while you develop. On a user's machine there is no such server, or a different one.",
    example: inRemote('/mcpUrl', { mcpUrl: 'http://localhost:3000/mcp' }, {}, 'dev'),
    fails: (url, { localhost }) => classifyEndpoint(url, localhost) === 'localhost',
  }),
  warningRule('remote.private', 'remote.mcpUrl', {
    message: (value) =>
      `${show(value)} has an address of a private network. Clients outside of it refuse the server; those inside need the host in SVC_PRIVATE_NETWORKS.`,
    why: 'A client connects to the public Internet only, unless its user or the operator of its machine names hosts or networks inside the company. The store checks it at the upload, for hosts that its own setting does not name.',
    example: {
      path: '/remote/mcpUrl',
      broken: { manifest: { remote }, privateHosts: ['mcp.example.com'] },
      fixed: { manifest: { remote }, privateHosts: [] },
    },
    fails: (url, { privateHosts }) =>
      typeof url === 'string' && privateHosts.has(URL.parse(url)?.hostname ?? ''),
  }),
  errorRule('remote.domains', 'remote.domains', {
    message: '"domains" must be a list of host names. Write [] if the app only connects to its MCP server.',
    why: 'Users agree to the list, and the client enforces it.',
    example: inRemote('/domains', { domains: 'api.example.com' }, { domains: ['api.example.com'] }),
    fails: (domains) => domains !== undefined && badItems(domains, (item) => typeof item === 'string'),
  }),
  errorRule('remote.domains.count', 'remote.domains.list', {
    message: `An app may have at most ${LIMITS.remote.domains} domains: replace hosts of the same domain by a wildcard such as "*.example.com", or remove some.`,
    why: 'Users do not read a longer list before they agree to it.',
    example: inRemote(
      '/domains',
      { domains: hosts(LIMITS.remote.domains + 1) },
      { domains: ['*.example.com'] },
    ),
    fails: (domains) => domains.length > LIMITS.remote.domains,
  }),
  errorRule('remote.domain', 'remote.domain', {
    message: (value) =>
      `${show(value)} is not a host name: write it as "api.example.com" or "*.example.com", without scheme, path or port. IP addresses and public suffixes such as "co.uk" are not allowed; write non-ASCII names in punycode.`,
    why: 'The client compares the entry with the host of each request. Anything else would never match, or match more than it seems to.',
    example: inRemote(
      '/domains/0',
      { domains: ['https://api.example.com/v1'] },
      { domains: ['api.example.com'] },
    ),
    fails: (domain, { mode }) => !isDomain(domain, mode),
    repair: repairDomain,
  }),
  errorRule('remote.domain.broad', 'remote.domain', {
    message: (value) =>
      `${show(value)} includes hosts of other owners: use a domain that you own, such as "*.example.com".`,
    why: 'Under a public suffix, such as "com", "co.uk" or "github.io", each domain can have a different owner.',
    example: inRemote('/domains/0', { domains: ['*.com'] }, { domains: ['*.example.com'] }),
    fails: (domain) => isTooBroad(domain),
  }),
] as const;

/** Host names for examples. */
export function hosts(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `host${index + 1}.example.com`);
}

/** Replaces a URL by its host. Does nothing if the URL has a path or a port that may be intended. */
export function repairDomain(value: unknown, { mode }: Context): Repair | undefined {
  const domain = typeof value === 'string' ? suggestDomain(value, mode) : undefined;
  return domain === undefined ? undefined : { put: domain };
}
