import { BUILT_IN_APPS, LIMITS, PROVIDERS } from '@svc/contracts/vocabulary';
import { classifyEndpoint } from '../hosts.ts';
import { BUILT_IN_IDS, isAppId, isForeignId, suggestAppId } from '../ids.ts';
import { repairFlag, repairSpace } from '../repairs.ts';
import { errorRule, inObject, type Repair, type Spot, type Where, warningRule } from '../rule.ts';
import type { Fields } from '../targets.ts';
import { didYouMean, isText, namesOf, repairName, show, textFault } from '../text.ts';
import { badItems, isFields, isList, own, repeats } from '../values.ts';

const reason = 'Draws the charts.';
const charts = { id: 'com.example.charts', reason } as const;
const url = 'https://charts.example.com/mcp';
const inRequires = inObject('/requires', {}, (requires) => ({ requires }));
const inApp = inObject('/requires/apps/0', charts, (app) => ({ requires: { apps: [app] } }));
const inConnector = inObject('/requires/connectors/0', { url }, (connector) => ({
  requires: { connectors: [{ ...connector, reason }] },
}));
const LISTS = ['apps', 'connectors', 'optional'] as const;
const KNOWN_PROVIDERS: ReadonlySet<unknown> = new Set(PROVIDERS);
const PROVIDER_NAMES = namesOf(PROVIDERS, { claude: 'claude-code', gemini: 'gemini-cli' });
const BUILT_IN_NAMES = namesOf(BUILT_IN_APPS);
/** `owner/repo` by the rules of GitHub, optionally with a branch, tag or commit. */
const REPOSITORY =
  /^[a-z\d](?:[a-z\d]|-(?=[a-z\d])){0,38}\/(?!\.{1,2}(?:@|$))[a-z\d._-]{1,100}(?:@[\w./-]{1,200})?$/i;

/** The URL of a repository, as a browser or git shows it. */
const GITHUB_ADDRESS =
  /^(?:(?:https?:\/\/)?(?:www\.)?github\.com\/|git@github\.com:)([^\s?#]{1,300}?)(?:\.git)?\/?$/i;

/** What the app requires to work. */
export const requiresRules = [
  errorRule('requires.format', 'requires', {
    message: (value) =>
      `"requires" must be an object with the lists "apps", "connectors", "optional" and "providers"; a provider is one of ${PROVIDERS.join(', ')}.${didYouMean(value, PROVIDER_NAMES)}`,
    why: 'The install dialog shows each list separately.',
    example: inRequires('/apps', { apps: charts }, { apps: [charts] }),
    fails: (value) => {
      if (value === undefined) return false;
      return isFields(value) ? [...badLists(value), ...badProviders(value)] : true;
    },
    // Only items of `providers` have a numeric step.
    repair: (value, _context, { step }) =>
      typeof step === 'number' ? repairName(value, PROVIDER_NAMES) : undefined,
  }),
  errorRule('requires.count', 'requires.list', {
    message: `A list in "requires" may have at most ${LIMITS.requires.entries} entries: remove some.`,
    why: 'Users would hardly install an app that requires more.',
    example: inRequires(
      '/apps',
      { apps: many(LIMITS.requires.entries + 1) },
      { apps: many(LIMITS.requires.entries) },
    ),
    fails: (list) => list.length > LIMITS.requires.entries,
  }),
  errorRule('requires.duplicate', 'requires.list', {
    message: (value) => `${show(value)} is listed twice: remove one of the entries.`,
    why: 'The install dialog would show one requirement as two.',
    example: inRequires('/apps/1', { apps: [charts, charts] }, { apps: [charts] }),
    fails: (list) => repeats(list, nameOf),
    repair: (_value, _context, where) => (isExactDuplicate(where) ? { remove: true } : undefined),
  }),
  errorRule('requires.item', 'requires.entry', {
    message: (value) =>
      `An entry must be an object with an "id" or a "url", and a "reason", not ${show(value)}.`,
    why: 'Users must know why each entry is needed.',
    example: inRequires('/apps/0', { apps: ['com.example.charts'] }, { apps: [charts] }),
    fails: (entry) => !isFields(entry),
  }),
  errorRule('requires.reason', 'requires.reason', {
    message: (value) => textFault('"reason"', value, LIMITS.requires.reason),
    why: 'Users read it before they install the app.',
    example: inRequires('/apps/0/reason', { apps: [{ id: 'com.example.charts' }] }, { apps: [charts] }),
    fails: (text) => !isText(text, LIMITS.requires.reason),
  }),
  errorRule('requires.apps.url', 'requires.app', {
    message: 'An app must have an "id", not a "url": move entries with a "url" to "requires.connectors".',
    why: 'Apps are installed from the store by id; connectors are added by URL.',
    example: inRequires('/apps/0/url', { apps: [{ url, reason }] }, { connectors: [{ url, reason }] }),
    fails: (entry) => {
      const given = own(entry, 'url');
      return given !== undefined && [{ at: ['url'], value: given }];
    },
  }),
  errorRule('requires.id', 'requires.id', {
    message: (value) =>
      `"id" must be the id of a built-in or published app, such as "com.example.charts", not ${show(value)}.${didYouMean(value, BUILT_IN_NAMES)}`,
    why: 'The client installs the app from the store. Ids that begin with "gh-", "npm-" or "local." only exist on one machine.',
    example: inApp('/id', { id: 'npm-charts' }),
    fails: (id) => typeof id !== 'string' || !isRequirable(id),
    repair: (value) => repairName(value, BUILT_IN_NAMES) ?? repairId(value),
  }),
  errorRule('requires.self', 'requires.id', {
    message: 'An app cannot require itself: remove this entry.',
    why: 'A required app must be installed first.',
    example: inApp('/id', { id: 'com.example.notes' }),
    fails: (id, { facts }) => id === facts.id,
  }),
  errorRule('requires.github.store', 'requires.github', {
    message: 'A store app cannot require an app from GitHub: use the "id" of an app in the store.',
    why: 'Apps from the store are checked and signed. A repository can change at any time.',
    example: inApp('/github', { github: 'example/charts' }),
    fails: (_github, { mode }) => mode === 'store',
  }),
  errorRule('requires.github', 'requires.github', {
    message: (value) => `"github" must be "owner/repo" or "owner/repo@ref", not ${show(value)}.`,
    why: 'The client builds the URL of the repository from it.',
    example: inRequires(
      '/apps/0/github',
      { apps: [{ github: 'https://github.com/example', reason }] },
      { apps: [{ github: 'example/charts@v1', reason }] },
      'dev',
    ),
    fails: (github) => typeof github !== 'string' || !REPOSITORY.test(github),
    repair: repairRepository,
  }),
  errorRule('requires.url', 'requires.url', {
    message: (value) =>
      `"url" must be the https URL of an MCP server, without user name and fragment, not ${show(value)}.`,
    why: 'The client sends tool calls there, with data of the user.',
    example: inConnector('/url', { url: 'http://charts.example.com/mcp' }),
    fails: (address, { localhost }) => classifyEndpoint(address, localhost) === 'refused',
    repair: (value, { localhost }) =>
      repairSpace(value, (text) => classifyEndpoint(text, localhost) !== 'refused'),
  }),
  warningRule('requires.url.localhost', 'requires.url', {
    message: (value) => `${show(value)} is on your own machine: use a public https URL before you publish.`,
    why: 'Users cannot add a connector on your machine.',
    example: inConnector('/url', { url: 'http://127.0.0.1:3000/mcp' }, {}, 'dev'),
    fails: (address, { localhost }) => classifyEndpoint(address, localhost) === 'localhost',
  }),
  errorRule('requires.required', 'requires.required', {
    message: (value) => `"required" must be true or false, not ${show(value)}.`,
    why: 'With true, the app needs the connector; with false or without the field, the connector is only a fallback.',
    example: inConnector('/required', { required: 'yes' }, { required: true }),
    fails: (required) => required !== undefined && typeof required !== 'boolean',
    repair: repairFlag,
  }),
  errorRule('requires.optional.kind', 'requires.optional', {
    message: 'An optional entry must have either an "id" (of an app) or a "url" (of a connector).',
    why: 'The client must know whether to offer an app or a connector.',
    example: inRequires('/optional/0', { optional: [{ ...charts, url }] }, { optional: [charts] }),
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

/** The id, URL or repository of an entry, to find duplicates. */
function nameOf(entry: unknown): string | undefined {
  if (!isFields(entry)) return undefined;
  const name = own(entry, 'id') ?? own(entry, 'url') ?? own(entry, 'github');
  return typeof name === 'string' ? name : undefined;
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

/** Extracts `owner/repo` from the URL of a repository. */
function repairRepository(value: unknown): Repair | undefined {
  if (typeof value !== 'string') return undefined;
  const [, path = ''] = GITHUB_ADDRESS.exec(value.trim()) ?? [];
  return REPOSITORY.test(path) ? { put: path } : undefined;
}

/** Whether an earlier entry of the list has the same fields, so that removing this one loses nothing. */
function isExactDuplicate({ around, step }: Where): boolean {
  if (!isList(around) || typeof step !== 'number') return false;
  const entry = around[step];
  return (
    isFields(entry) && around.slice(0, step).some((other) => isFields(other) && sameFields(entry, other))
  );
}

/** Compares primitive values only: entries with nested values are never equal. */
function sameFields(one: Fields, other: Fields): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && own(one, name) === own(other, name))
  );
}
