import { createHash } from 'node:crypto';
import {
  compareEntries,
  compareTools,
  newEntry,
  type ServedChange,
  type ServedThing,
} from '@svc/permissions';
import { hashOfJson } from '../../platform/json-hash.ts';
import type { PinnedTool } from './pinned-tool.ts';

/** An entry of a list of a server, or a page of it, as models and pages get it. */
export type Entry = Readonly<Record<string, unknown>>;

/** How the entries of a list are distinguished and compared. */
type Listed = {
  /** Most entries. */
  max: number;
  keyOf(entry: Entry): string;
  /** Whether an entry that appears after the first listing waits. A page is read when it is first shown: its tool was accepted with it. */
  newOnesWait: boolean;
  compare(key: string, before: Entry, after: Entry): ServedChange[];
  added(key: string, after: Entry): ServedChange;
};

const entries = (of: ServedThing, key: string, newOnesWait = true): Listed => ({
  ...{ max: 1_000, newOnesWait },
  keyOf: (entry) => String(entry[key]),
  compare: (name, before, after) => compareEntries(of, name, before, after),
  added: (name, after) => newEntry(of, name, after),
});

/** All that a server lists for models and pages. What is not in this table, no model and no page gets. */
export const LISTS = {
  tools: {
    ...entries('tool', 'name'),
    max: 200,
    compare: (_, before, after) => compareTools(before as PinnedTool, after as PinnedTool),
  },
  resources: entries('resource', 'uri'),
  templates: entries('template', 'uriTemplate'),
  prompts: entries('prompt', 'id'),
  pages: entries('page', 'uri', false),
} satisfies Record<string, Listed>;

/** A list of a server. */
export type ListName = keyof typeof LISTS;

/** What is stored of one list of an app. */
export type State = {
  /** The accepted descriptions, also of entries that the server does not list at the moment. */
  accepted: Record<string, Entry>;
  /** Keys of the last listing. */
  listed: string[];
  /** What the server says now of entries whose change waits, by key. */
  waiting: Record<string, Entry>;
  since: string | null;
  /** Hashes of changes that were announced, and of those that were rejected. */
  announced: string[];
  rejected?: string[];
  /** Keys of the entries whose accepted description is that of the store's record. */
  fromStore?: string[];
};

export const EMPTY: State = { accepted: {}, listed: [], waiting: {}, since: null, announced: [] };

/** Changes that were announced or rejected: a server that switches between some of them is announced, and asked about, once for each. */
const MAX_ANNOUNCED = 20;

/** A server may name an entry like a property that every object has. */
const own = (entries: Record<string, Entry>, key: string): Entry | undefined =>
  Object.hasOwn(entries, key) ? entries[key] : undefined;

/** The entries with some keys. */
const entriesOf = (entries: Record<string, Entry>, keys: readonly string[]): Entry[] =>
  keys.flatMap((key): Entry[] => {
    const entry = own(entries, key);
    return entry ? [entry] : [];
  });

/** The changes of an entry that wait. */
export function changesOf(list: ListName, state: State, key: string): ServedChange[] {
  const { compare, added }: Listed = LISTS[list];
  const [before, after] = [own(state.accepted, key), own(state.waiting, key)];
  if (!after) return [];
  return before ? compare(key, before, after) : [added(key, after)];
}

/** SHA-256 of entries in any order, in hex. */
const hashOfEntries = (keyOf: Listed['keyOf'], of: readonly Entry[]): string =>
  hashOfJson([...of].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)));

/** What an answer of the user is bound to: what waits, and what it changes. */
export function hashOfWaiting(list: ListName, { accepted, waiting }: State): string {
  const { keyOf }: Listed = LISTS[list];
  return createHash('sha256')
    .update(hashOfEntries(keyOf, Object.values(waiting)))
    .update(hashOfEntries(keyOf, entriesOf(accepted, Object.keys(waiting))))
    .digest('hex');
}

const withFirst = (hash: string, others: readonly string[] = []): string[] =>
  [hash, ...others.filter((one) => one !== hash)].slice(0, MAX_ANNOUNCED);

/** The state in which the user has been told of what waits, and whether that is new. */
export function announced(list: ListName, state: State): { state: State; isNew: boolean } {
  if (Object.keys(state.waiting).length === 0) return { state, isNew: false };
  const hash = hashOfWaiting(list, state);
  if (state.announced.includes(hash)) return { state, isNew: false };
  return { state: { ...state, announced: withFirst(hash, state.announced) }, isNew: true };
}

/** Keeps the accepted entries within their limit: entries that are not listed go first. */
function bounded(accepted: Record<string, Entry>, listed: ReadonlySet<string>, max: number) {
  const all = Object.entries(accepted);
  return all.length <= 2 * max ? accepted : Object.fromEntries(all.filter(([key]) => listed.has(key)));
}

/** Whether an entry is as accepted, brings nothing new, or waits for the user. */
function verdictOn(
  { compare, newOnesWait, keyOf }: Listed,
  pin: Entry | undefined,
  entry: Entry,
): 'same' | 'taken' | 'waits' {
  if (pin === undefined) return newOnesWait ? 'waits' : 'taken';
  const changes = compare(keyOf(entry), pin, entry);
  if (changes.some(({ widens }) => widens)) return 'waits';
  return changes.length > 0 ? 'taken' : 'same';
}

/**
 * The state after a listing: the first one is accepted, and later whatever brings nothing new.
 * @param takesAll a developer's own folder takes over everything
 */
export function afterListing(
  list: ListName,
  before: State | null,
  now: readonly Entry[],
  { at, takesAll }: { at: string; takesAll: boolean },
): State {
  const of: Listed = LISTS[list];
  const { accepted: was, since, fromStore: recorded, ...rest } = before ?? EMPTY;
  const [accepted, waiting] = [new Map(Object.entries(was)), new Map<string, Entry>()];
  const fromStore = new Set(recorded);
  for (const entry of now) {
    const key = of.keyOf(entry);
    const verdict = verdictOn(of, accepted.get(key), entry);
    if (verdict === 'waits' && before !== null && !takesAll) waiting.set(key, entry);
    else {
      accepted.set(key, entry);
      if (verdict !== 'same') fromStore.delete(key);
    }
  }
  const listed = now.map(of.keyOf);
  return {
    ...rest,
    accepted: bounded(Object.fromEntries(accepted), new Set(listed), of.max),
    listed,
    waiting: Object.fromEntries(waiting),
    since: waiting.size === 0 ? null : (since ?? at),
    fromStore: [...fromStore],
  };
}

/** The state once the user accepted what waits. */
export const afterAccepting = ({ fromStore = [], ...state }: State): State => ({
  ...{ ...state, accepted: { ...state.accepted, ...state.waiting }, waiting: {}, since: null },
  fromStore: fromStore.filter((key) => !Object.hasOwn(state.waiting, key)),
});

/** The state once the user rejected what waits. */
export const afterRejecting = (list: ListName, state: State): State => ({
  ...state,
  rejected: withFirst(hashOfWaiting(list, state), state.rejected),
});

/** The accepted descriptions of what the server lists. */
export const offered = ({ accepted, listed }: State): Entry[] => entriesOf(accepted, listed);

/** A list with one entry that was read alone, in which the others are as they were last. */
export const withEntry = (list: ListName, before: State | null, entry: Entry): Entry[] => {
  const { keyOf, max }: Listed = LISTS[list];
  const { listed, accepted, waiting } = before ?? EMPTY;
  const others = listed.filter((key) => key !== keyOf(entry));
  return [entry, ...entriesOf({ ...accepted, ...waiting }, others)].slice(0, max);
};
