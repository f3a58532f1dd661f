import { BUILT_IN_APPS, LIMITS, PROVIDERS } from '@svc/contracts/vocabulary';
import { judgeEndpoint } from '../hosts.ts';
import { BUILT_IN_IDS, isAppId, isForeignId, suggestAppId } from '../ids.ts';
import { didYouMean, namesOf, repairName } from '../names.ts';
import { repairFlag, repairSpace } from '../repairs.ts';
import { defineRule, type Repair, type Sample, type Spot, type Where } from '../rule.ts';
import type { Fields } from '../targets.ts';
import { isText, show, textFault } from '../text.ts';
import { badItems, isFields, isList, own, repeats } from '../values.ts';

const reason = 'Draws the charts.';
const charts = { id: 'com.example.charts', reason } as const;
const url = 'https://charts.example.com/mcp';
const LISTS = ['apps', 'connectors', 'optional'] as const;
const KNOWN_PROVIDERS: ReadonlySet<unknown> = new Set(PROVIDERS);
const PROVIDER_NAMES = namesOf(PROVIDERS, { claude: 'claude-code', gemini: 'gemini-cli' });
const BUILT_IN_NAMES = namesOf(BUILT_IN_APPS);
/** `owner/repo`, by the rules of GitHub for both, and perhaps a branch, tag or commit. */
const REPOSITORY =
  /^[a-z\d](?:[a-z\d]|-(?=[a-z\d])){0,38}\/(?!\.{1,2}(?:@|$))[a-z\d._-]{1,100}(?:@[\w./-]{1,200})?$/i;

/** How a repository is written where it is copied from. */
const GITHUB_ADDRESS =
  /^(?:(?:https?:\/\/)?(?:www\.)?github\.com\/|git@github\.com:)([^\s?#]{1,300}?)(?:\.git)?\/?$/i;

/** What has to be there for the app to work. */
export const requiresRules = [
  defineRule({
    code: 'requires.format',
    level: 'error',
    target: 'requires',
    message: (value) =>
      `"requires" must be an object with lists: "apps", "connectors", "optional", and "providers" of ${PROVIDERS.join(', ')}.${didYouMean(value, PROVIDER_NAMES)}`,
    why: 'The install sheet shows the lists one by one.',
    example: {
      path: '/requires/apps',
      broken: { manifest: { requires: { apps: charts } } },
      fixed: { manifest: { requires: { apps: [charts] } } },
    },
    fails: (value) => {
      if (value === undefined) return false;
      return isFields(value) ? [...badLists(value), ...badProviders(value)] : true;
    },
    // Numbered places are those of providers.
    repair: (value, _context, { step }) =>
      typeof step === 'number' ? repairName(value, PROVIDER_NAMES) : undefined,
  }),
  defineRule({
    code: 'requires.count',
    level: 'error',
    target: 'requires.list',
    message: `A list under "requires" may have ${LIMITS.requires.entries} entries at most.`,
    why: 'An app that needs more than that can hardly be installed.',
    example: {
      path: '/requires/apps',
      broken: { manifest: { requires: { apps: many(LIMITS.requires.entries + 1) } } },
      fixed: { manifest: { requires: { apps: many(LIMITS.requires.entries) } } },
    },
    fails: (list) => list.length > LIMITS.requires.entries,
  }),
  defineRule({
    code: 'requires.duplicate',
    level: 'error',
    target: 'requires.list',
    message: (value) => `${show(value)} is listed already: name it once.`,
    why: 'Two reasons for one thing would be shown as two things.',
    example: {
      path: '/requires/apps/1',
      broken: { manifest: { requires: { apps: [charts, charts] } } },
      fixed: { manifest: { requires: { apps: [charts] } } },
    },
    fails: (list) => repeats(list, nameOf),
    repair: (_value, _context, where) => (isSaidBefore(where) ? { remove: true } : undefined),
  }),
  defineRule({
    code: 'requires.item',
    level: 'error',
    target: 'requires.entry',
    message: (value) => `An entry must be an object with a name and a "reason", not ${show(value)}.`,
    why: 'People are told why each thing is needed.',
    example: {
      path: '/requires/apps/0',
      broken: { manifest: { requires: { apps: ['com.example.charts'] } } },
      fixed: { manifest: { requires: { apps: [charts] } } },
    },
    fails: (entry) => !isFields(entry),
  }),
  defineRule({
    code: 'requires.reason',
    level: 'error',
    target: 'requires.reason',
    message: (value) => textFault('"reason"', value, LIMITS.requires.reason),
    why: 'It is shown before the app is installed.',
    example: {
      path: '/requires/apps/0/reason',
      broken: { manifest: { requires: { apps: [{ id: 'com.example.charts' }] } } },
      fixed: { manifest: { requires: { apps: [charts] } } },
    },
    fails: (text) => !isText(text, LIMITS.requires.reason),
  }),
  defineRule({
    code: 'requires.apps.url',
    level: 'error',
    target: 'requires.app',
    message: 'An app is named by its id; list what has a "url" under "requires.connectors".',
    why: 'Apps are installed from the store, connectors are added by their address.',
    example: {
      path: '/requires/apps/0/url',
      broken: { manifest: { requires: { apps: [{ url, reason }] } } },
      fixed: { manifest: { requires: { connectors: [{ url, reason }] } } },
    },
    fails: (entry) => {
      const given = own(entry, 'url');
      return given !== undefined && [{ at: ['url'], value: given }];
    },
  }),
  defineRule({
    code: 'requires.id',
    level: 'error',
    target: 'requires.id',
    message: (value) =>
      `"id" must be the id of a built-in or published app such as "com.example.charts", not ${show(value)}.${didYouMean(value, BUILT_IN_NAMES)}`,
    why: 'The client installs it from the store; ids beginning "gh-", "npm-" or "local." exist on one machine only.',
    example: {
      path: '/requires/apps/0/id',
      broken: { manifest: { requires: { apps: [{ ...charts, id: 'npm-charts' }] } } },
      fixed: { manifest: { requires: { apps: [charts] } } },
    },
    fails: (id) => typeof id !== 'string' || !isRequirable(id),
    repair: (value) => repairName(value, BUILT_IN_NAMES) ?? repairId(value),
  }),
  defineRule({
    code: 'requires.self',
    level: 'error',
    target: 'requires.id',
    message: 'An app cannot require itself: remove the entry.',
    why: 'It could never be installed first.',
    example: {
      path: '/requires/apps/0/id',
      broken: { manifest: { requires: { apps: [{ ...charts, id: 'com.example.notes' }] } } },
      fixed: { manifest: { requires: { apps: [charts] } } },
    },
    fails: (id, { facts }) => id === facts.id,
  }),
  defineRule({
    code: 'requires.github.store',
    level: 'error',
    target: 'requires.github',
    message: 'A store app may not require an app from GitHub: name one of the store by its "id".',
    why: 'What the store installs has been checked and signed; a repository can change at any time.',
    example: {
      path: '/requires/apps/0/github',
      broken: { manifest: { requires: { apps: [{ ...charts, github: 'example/charts' }] } } },
      fixed: { manifest: { requires: { apps: [charts] } } },
    },
    fails: (_github, { mode }) => mode === 'store',
  }),
  defineRule({
    code: 'requires.github',
    level: 'error',
    target: 'requires.github',
    message: (value) => `"github" must be "owner/repo" or "owner/repo@ref", not ${show(value)}.`,
    why: 'The client makes the address of the repository from it.',
    example: {
      path: '/requires/apps/0/github',
      mode: 'dev',
      broken: { manifest: { requires: { apps: [{ github: 'https://github.com/example', reason }] } } },
      fixed: { manifest: { requires: { apps: [{ github: 'example/charts@v1', reason }] } } },
    },
    fails: (github) => typeof github !== 'string' || !REPOSITORY.test(github),
    repair: repairRepository,
  }),
  defineRule({
    code: 'requires.url',
    level: 'error',
    target: 'requires.url',
    message: (value) =>
      `"url" must be the https address of an MCP server, with no user name and no fragment, not ${show(value)}.`,
    why: 'Tools are called there, with what the user wrote.',
    example: {
      path: '/requires/connectors/0/url',
      broken: connectors({ url: 'http://charts.example.com/mcp' }),
      fixed: connectors({ url }),
    },
    fails: (address, { localhost }) => judgeEndpoint(address, localhost) === 'refused',
    repair: (value, { localhost }) =>
      repairSpace(value, (text) => judgeEndpoint(text, localhost) !== 'refused'),
  }),
  defineRule({
    code: 'requires.url.localhost',
    level: 'warning',
    target: 'requires.url',
    message: (value) =>
      `${show(value)} is on your own machine: name a public https address before publishing.`,
    why: 'Nobody else can add that connector.',
    example: {
      path: '/requires/connectors/0/url',
      mode: 'dev',
      broken: connectors({ url: 'http://127.0.0.1:3000/mcp' }),
      fixed: connectors({ url }),
    },
    fails: (address, { localhost }) => judgeEndpoint(address, localhost) === 'localhost',
  }),
  defineRule({
    code: 'requires.required',
    level: 'error',
    target: 'requires.required',
    message: (value) => `"required" must be true or false, not ${show(value)}.`,
    why: 'True makes the app wait until the connector is on; otherwise it is a fallback.',
    example: {
      path: '/requires/connectors/0/required',
      broken: connectors({ url, required: 'yes' }),
      fixed: connectors({ url, required: true }),
    },
    fails: (required) => required !== undefined && typeof required !== 'boolean',
    repair: repairFlag,
  }),
  defineRule({
    code: 'requires.optional.kind',
    level: 'error',
    target: 'requires.optional',
    message: 'An optional entry has either an "id" (an app) or a "url" (a connector): write exactly one.',
    why: 'The client has to know which of the two to offer.',
    example: {
      path: '/requires/optional/0',
      broken: { manifest: { requires: { optional: [{ ...charts, url }] } } },
      fixed: { manifest: { requires: { optional: [charts] } } },
    },
    fails: (entry) => (own(entry, 'id') === undefined) === (own(entry, 'url') === undefined),
  }),
] as const;

function badLists(requires: Fields): Spot[] {
  return LISTS.flatMap((name) => {
    const value = own(requires, name);
    return value === undefined || Array.isArray(value) ? [] : [{ at: [name], value }];
  });
}

function badProviders(requires: Fields): Spot[] {
  const value = own(requires, 'providers');
  if (value === undefined) return [];
  const bad = badItems(value, (provider) => KNOWN_PROVIDERS.has(provider));
  if (typeof bad === 'boolean') return bad ? [{ at: ['providers'], value }] : [];
  return bad.map((spot) => ({ at: ['providers', ...spot.at], value: spot.value }));
}

/** What an entry names, for finding it a second time: an id, an address or a repository. */
function nameOf(entry: unknown): string | undefined {
  if (!isFields(entry)) return undefined;
  const name = own(entry, 'id') ?? own(entry, 'url') ?? own(entry, 'github');
  return typeof name === 'string' ? name : undefined;
}

function connectors(entry: Fields): Sample {
  return { manifest: { requires: { connectors: [{ ...entry, reason }] } } };
}

function many(count: number): Fields[] {
  return Array.from({ length: count }, (_, index) => ({ ...charts, id: `com.example.charts${index + 1}` }));
}

function isRequirable(id: string): boolean {
  return BUILT_IN_IDS.has(id) || (isAppId(id) && !isForeignId(id));
}

function repairId(value: unknown): Repair | undefined {
  const id = suggestAppId(value);
  return id !== undefined && isRequirable(id) ? { put: id } : undefined;
}

/** Takes `owner/repo` out of the address that a browser or git shows for it. */
function repairRepository(value: unknown): Repair | undefined {
  if (typeof value !== 'string') return undefined;
  const [, path = ''] = GITHUB_ADDRESS.exec(value.trim()) ?? [];
  return REPOSITORY.test(path) ? { put: path } : undefined;
}

/** Whether an earlier entry of the list says just the same, so that nothing is lost with this one. */
function isSaidBefore({ around, step }: Where): boolean {
  if (!isList(around) || typeof step !== 'number') return false;
  const entry = around[step];
  return (
    isFields(entry) && around.slice(0, step).some((other) => isFields(other) && sameFields(entry, other))
  );
}

/** Compares plain values only: an entry with anything nested in it counts as another one. */
function sameFields(one: Fields, other: Fields): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && own(one, name) === own(other, name))
  );
}
