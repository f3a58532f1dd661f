import { LIMITS } from '@svc/contracts/vocabulary';
import { domainMeant, isDomain, isTooBroad, judgeEndpoint } from '../hosts.ts';
import { misspeltIn } from '../misspelt.ts';
import { repairSpace } from '../repairs.ts';
import { type Context, defineRule, type Repair } from '../rule.ts';
import { show } from '../text.ts';
import { badItems, isFields, own } from '../values.ts';

const mcpUrl = 'https://mcp.example.com/mcp';

/** Where the tools live and what else the app reaches. */
export const remoteRules = [
  defineRule({
    code: 'remote.and-server',
    level: 'error',
    target: 'manifest.fields',
    message: 'An app has either "remote" or "server", not both: remove "server".',
    why: 'With two places for the tools to live, nobody could tell which of them a call reaches.',
    example: {
      path: '/server',
      mode: 'dev',
      broken: { manifest: { server: 'server.js' } },
      fixed: { manifest: { server: undefined } },
    },
    fails: (fields) =>
      own(fields, 'remote') !== undefined && own(fields, 'server') !== undefined
        ? [{ at: ['server'], value: own(fields, 'server') }]
        : false,
  }),
  defineRule({
    code: 'remote.missing',
    level: 'error',
    target: 'remote',
    message: (value) =>
      `"remote" must be an object with "mcpUrl" and "domains" ([] when there are no other hosts).${misspeltIn(value, 'mcpUrl')}${misspeltIn(value, 'domains')}`,
    why: 'The tools of a store app live on a server; without its address, and the list of all other hosts, there is nothing to call and nothing to review.',
    example: {
      path: '/remote',
      broken: { manifest: { remote: { mcpUrl } } },
      fixed: { manifest: { remote: { mcpUrl, domains: [] } } },
    },
    fails: (remote, { mode }) => {
      if (!isFields(remote)) return mode === 'store' || remote !== undefined;
      if (mode === 'dev') return false;
      return own(remote, 'mcpUrl') === undefined || own(remote, 'domains') === undefined;
    },
  }),
  defineRule({
    code: 'remote.url',
    level: 'error',
    target: 'remote.mcpUrl',
    message: (value) =>
      `"mcpUrl" must be an https address of a full host name, with no user name, no fragment and no spaces, such as "${mcpUrl}", not ${show(value)}.`,
    why: 'Tokens and files of the user go there, so it must be encrypted, and read the same by everybody who checks it.',
    example: {
      path: '/remote/mcpUrl',
      broken: { manifest: { remote: { mcpUrl: 'http://mcp.example.com/mcp', domains: [] } } },
      fixed: { manifest: { remote: { mcpUrl, domains: [] } } },
    },
    fails: (url, { localhost }) => url !== undefined && judgeEndpoint(url, localhost) === 'refused',
    repair: (value, { localhost }) =>
      repairSpace(value, (url) => judgeEndpoint(url, localhost) !== 'refused'),
  }),
  defineRule({
    code: 'remote.localhost',
    level: 'warning',
    target: 'remote.mcpUrl',
    message: (value) =>
      `${show(value)} is a server on your own machine: name a public https address before publishing.`,
    why: "It works while you develop; on a user's machine nothing answers there, or something else does.",
    example: {
      path: '/remote/mcpUrl',
      mode: 'dev',
      broken: { manifest: { remote: { mcpUrl: 'http://localhost:3000/mcp', domains: [] } } },
      fixed: { manifest: { remote: { mcpUrl, domains: [] } } },
    },
    fails: (url, { localhost }) => judgeEndpoint(url, localhost) === 'localhost',
  }),
  defineRule({
    code: 'remote.domains',
    level: 'error',
    target: 'remote.domains',
    message: '"domains" must be a list of host names; write [] when the app reaches its MCP server alone.',
    why: 'The list is what people agree to and what the client enforces.',
    example: {
      path: '/remote/domains',
      broken: { manifest: { remote: { mcpUrl, domains: 'api.example.com' } } },
      fixed: { manifest: { remote: { mcpUrl, domains: ['api.example.com'] } } },
    },
    fails: (domains) => domains !== undefined && badItems(domains, (item) => typeof item === 'string'),
  }),
  defineRule({
    code: 'remote.domains.count',
    level: 'error',
    target: 'remote.domains.list',
    message: `An app may list ${LIMITS.remote.domains} domains at most: put hosts of one domain behind "*.", or drop some.`,
    why: 'Nobody reads a longer list before agreeing to it.',
    example: {
      path: '/remote/domains',
      broken: { manifest: { remote: { mcpUrl, domains: hosts(LIMITS.remote.domains + 1) } } },
      fixed: { manifest: { remote: { mcpUrl, domains: ['*.example.com'] } } },
    },
    fails: (domains) => domains.length > LIMITS.remote.domains,
  }),
  defineRule({
    code: 'remote.domain',
    level: 'error',
    target: 'remote.domain',
    message: (value) =>
      `${show(value)} is not a host name: write "api.example.com" or "*.example.com", with no scheme, path, port or address in numbers, and other scripts in punycode.`,
    why: 'The entry is compared with the host of every request; anything else in it would match nothing, or more than it seems to.',
    example: {
      path: '/remote/domains/0',
      broken: { manifest: { remote: { mcpUrl, domains: ['https://api.example.com/v1'] } } },
      fixed: { manifest: { remote: { mcpUrl, domains: ['api.example.com'] } } },
    },
    fails: (domain, { mode }) => !isDomain(domain, mode),
    repair: repairDomain,
  }),
  defineRule({
    code: 'remote.domain.broad',
    level: 'error',
    target: 'remote.domain',
    message: (value) =>
      `${show(value)} covers hosts that are not yours: name the domain you own, as in "*.example.com".`,
    why: 'Below a public suffix such as "com", "co.uk" or "github.io" every name belongs to another owner.',
    example: {
      path: '/remote/domains/0',
      broken: { manifest: { remote: { mcpUrl, domains: ['*.com'] } } },
      fixed: { manifest: { remote: { mcpUrl, domains: ['*.example.com'] } } },
    },
    fails: (domain) => isTooBroad(domain),
  }),
] as const;

function hosts(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `host${index + 1}.example.com`);
}

/** Puts the host alone where its address stands. Says nothing when a path or a port may have been meant. */
export function repairDomain(value: unknown, { mode }: Context): Repair | undefined {
  const domain = typeof value === 'string' ? domainMeant(value, mode) : undefined;
  return domain === undefined ? undefined : { put: domain };
}
