import { isDeepStrictEqual } from 'node:util';
import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import type { ServedTool } from '@svc/contracts';
import { remoteNameOf } from '@svc/contracts/vocabulary';
import type { ServedChange } from '@svc/permissions';
import type { Events } from '../../events/events.ts';
import { declaredTools, type InstalledApp, isConnector, isToolName } from '../../library/installed-app.ts';
import type { LibraryStorage } from '../../library/library-storage.ts';
import { hashOfJson } from '../../platform/json-hash.ts';
import { RuntimeError } from '../../platform/runtime-error.ts';
import type { System } from '../../platform/system.ts';
import { type Note, quotedName } from '../lenient/repair-block.ts';
import {
  afterAccepting,
  afterListing,
  afterRejecting,
  announced,
  changesOf,
  EMPTY,
  type Entry,
  hashOfWaiting,
  LISTS,
  type ListName,
  offered,
  type State,
  withEntry,
} from './pin-state.ts';
import { type PinnedTool, pinnedTool } from './pinned-tool.ts';

/** Most characters of JSON of one listing, and of all that is kept of a list. */
const MAX_LISTED = 3.5 * 1024 * 1024;
const MAX_JSON = 4 * 1024 * 1024;
/** Most names of entries that a note quotes. */
const MAX_NAMED = 20;

/** Changes of what a server lists that wait for the user. */
export type WaitingChanges = {
  appId: string;
  /** Name of the app. */
  name: string;
  /** When the first of them was seen. */
  since: string;
  /** Hash of what the server says now; the answer repeats it. */
  binding: string;
  /** Names of the tools whose accepted description is what the store recorded of the server: it says something else to this client. */
  recorded: string[];
  /** Whether the user rejected exactly these changes. They can still be accepted. */
  rejected: boolean;
  changes: ServedChange[];
};

/** The accepted descriptions of an app's tools. */
export type Pinned = { listed: PinnedTool[]; newParams(name: string): string[] };

/** What a pin belongs to: a bundle, or the address of a connector. */
const editionOf = ({ source, version }: InstalledApp): string =>
  source.kind === 'store' ? source.sha256 : JSON.stringify([source, version]);

/** The tools of a listing that can be called: those of the manifest, and all of a connector. The first of each name. */
function callableTools(app: InstalledApp, listed: readonly ServerTool[]): ServerTool[] {
  const declared = isConnector(app) ? null : new Set(declaredTools(app).map(remoteNameOf));
  const names = new Set<string>();
  return listed.filter(({ name }) => {
    const isFirst = !names.has(name);
    names.add(name);
    return isFirst && (declared ? declared.has(name) : isToolName(name));
  });
}

/** The part of a listing within the bounds. @param note receives what is beyond them */
function bounded<T extends object, Given>(
  list: ListName,
  given: readonly Given[],
  { keep, nameOf, note }: { keep(one: Given): T; nameOf(one: Given): string; note?: Note | undefined },
): T[] {
  const kept: T[] = [];
  let room = MAX_LISTED;
  for (const one of given.slice(0, LISTS[list].max)) {
    const pin = keep(one);
    room -= JSON.stringify(pin).length;
    if (room < 0) break;
    kept.push(pin);
  }
  const leftOut = given.slice(kept.length).map((one) => quotedName(nameOf(one)));
  if (leftOut.length > MAX_NAMED) leftOut.splice(MAX_NAMED, leftOut.length, '…');
  if (leftOut.length > 0)
    note?.(
      `The server has more ${list} than can be kept: ${given.length - kept.length} were left out (${leftOut.join(', ')}).`,
      ...(list === 'tools' ? [list] : []),
    );
  return kept;
}

/** The part of a listing that can be called, within the bounds. */
const usableTools = (app: InstalledApp, listed: readonly ServerTool[], note?: Note): PinnedTool[] =>
  bounded('tools', callableTools(app, listed), {
    keep: (tool) => pinnedTool(tool, isConnector(app)),
    nameOf: ({ name }) => name,
    note,
  });

/** The names of the parameters that a waiting change of a tool brings. */
const newParams = (state: State, tool: string): string[] =>
  changesOf('tools', state, tool).flatMap(({ kind, path, widens }) =>
    kind === 'parameter' && widens
      ? [(path.split('/').at(-1) ?? '').replaceAll('~1', '/').replaceAll('~0', '~')]
      : [],
  );

/** Keeps nothing: each listing is the first one. For built-in apps, whose tools come with the client. */
export const NO_PINS: Pins = {
  settle: usableTools,
  settleList: (_app, _list, entries) => [...entries],
  settlePage: (_app, page) => page,
  seed: () => undefined,
  of: () => null,
  has: () => true,
  waiting: () => null,
  accept: () => undefined,
  reject: () => undefined,
};

type Waiting = { list: ListName; state: State };

/** One hash for all lists. */
const bindingOf = (waiting: readonly Waiting[]): string =>
  hashOfJson(waiting.map(({ list, state }) => [list, hashOfWaiting(list, state)]));

/** Opens the accepted descriptions of a library. Removing an app deletes them. */
export function openPins(
  { database, transact }: Pick<LibraryStorage, 'database' | 'transact'>,
  { system, events }: { system: Pick<System, 'now'>; events: Events },
) {
  const select = database.prepare('select state from pins where app_id = ? and list = ? and edition = ?');
  const selectWaiting = database.prepare(
    'select list, state from pins where app_id = ? and edition = ? and waits = 1 order by list',
  );
  const insert = database.prepare(
    'insert or replace into pins (app_id, list, edition, state, waits) select ?, ?, ?, ?, ? where exists (select 1 from apps where app_id = ?)',
  );

  function read(app: InstalledApp, list: ListName): State | null {
    const row = select.get(app.appId, list, editionOf(app));
    return row ? (JSON.parse(String(row.state)) as State) : null;
  }

  function write(app: InstalledApp, list: ListName, state: State): void {
    const json = JSON.stringify(state);
    if (json.length > MAX_JSON)
      throw new RuntimeError('too-large', `The server describes its ${list} at too great a length.`);
    insert.run(app.appId, list, editionOf(app), json, state.since === null ? 0 : 1, app.appId);
  }

  /** The lists of an app with changes that wait. */
  const waitingOf = (app: InstalledApp): Waiting[] =>
    selectWaiting
      .all(app.appId, editionOf(app))
      .map(({ list, state }) => ({ list: list as ListName, state: JSON.parse(String(state)) as State }));

  /** Writes what the user decided about the changes that they saw. */
  function decide(
    app: InstalledApp,
    binding: string,
    decided: (list: ListName, state: State) => State,
  ): void {
    transact(() => {
      const waiting = waitingOf(app);
      if (waiting.length === 0 || bindingOf(waiting) !== binding)
        throw new RuntimeError(
          'consent-needed',
          'The server has changed its tools again. Look at the changes again.',
        );
      for (const { list, state } of waiting) write(app, list, decided(list, state));
    });
  }

  /** Compares entries with the accepted ones. @param nowOf the whole list, given what is known of it */
  function settle(app: InstalledApp, list: ListName, nowOf: (before: State | null) => readonly Entry[]) {
    const at = new Date(system.now()).toISOString();
    const takesAll = app.source.kind === 'developer';
    const next = (before: State | null) =>
      announced(list, afterListing(list, before, nowOf(before), { at, takesAll }));
    const before = read(app, list);
    if (before && isDeepStrictEqual(before, next(before).state)) return before;
    const { state, isNew } = transact(() => {
      const settled = next(read(app, list));
      write(app, list, settled.state);
      return settled;
    });
    if (isNew) events.emit({ type: 'tools-changed', appId: app.appId });
    return state;
  }

  return {
    /**
     * Compares a list of tools with the accepted one. The first listing of a bundle or address is accepted, and later whatever brings
     * nothing new; the rest waits for the user.
     * @param note receives which tools are beyond the bounds
     * @returns the descriptions that models read
     */
    settle(app: InstalledApp, listed: readonly ServerTool[], note?: Note): PinnedTool[] {
      const now = usableTools(app, listed, note);
      return offered(settle(app, 'tools', () => now)) as PinnedTool[];
    },
    /** The same for resources, templates and prompts. */
    settleList<T extends object>(
      app: InstalledApp,
      list: 'resources' | 'templates' | 'prompts',
      entries: readonly T[],
      note?: Note,
    ): T[] {
      const nameOf = (entry: T) => LISTS[list].keyOf(entry as Entry);
      const now = bounded(list, entries, { keep: (entry) => entry, nameOf, note });
      return offered(settle(app, list, () => now as Entry[])) as T[];
    },
    /** The same for a page that the server shows in clients, which is read alone. @returns it as accepted */
    settlePage<T extends { uri: string }>(app: InstalledApp, page: T): T {
      const [accepted] = offered(settle(app, 'pages', (before) => withEntry('pages', before, page)));
      return accepted as T;
    },
    /**
     * Accepts the tools of the store's signed record, before the server has listed any: what the server says otherwise at its first listing
     * waits for the user.
     */
    seed(app: InstalledApp, recorded: readonly ServedTool[]) {
      transact(() => {
        if (read(app, 'tools')) return;
        const tools = usableTools(app, recorded as readonly ServerTool[]);
        const accepted = Object.fromEntries(tools.map((tool) => [tool.name, tool]));
        const listed = tools.map(({ name }) => name);
        write(app, 'tools', { ...EMPTY, accepted, listed, fromStore: listed });
      });
    },
    /** The accepted descriptions of tools; null before the first listing. */
    of(app: InstalledApp): Pinned | null {
      const state = read(app, 'tools');
      return state && { listed: offered(state) as PinnedTool[], newParams: (tool) => newParams(state, tool) };
    },
    /** Whether an entry of a list is accepted; null before the first listing. */
    has(app: InstalledApp, list: ListName, key: string): boolean | null {
      const state = read(app, list);
      return state && Object.hasOwn(state.accepted, key);
    },
    /** The changes of an app that wait for the user; null for none. */
    waiting(app: InstalledApp): WaitingChanges | null {
      const waiting = waitingOf(app);
      if (waiting.length === 0) return null;
      const times = waiting.map(({ state: { since } }) => since ?? '').sort();
      return {
        ...{ appId: app.appId, name: app.manifest.name, since: times[0] ?? '', binding: bindingOf(waiting) },
        recorded: waiting.flatMap(({ state }) =>
          (state.fromStore ?? []).filter((key) => Object.hasOwn(state.waiting, key)),
        ),
        rejected: waiting.every(({ list, state }) => state.rejected?.includes(hashOfWaiting(list, state))),
        changes: waiting.flatMap(({ list, state }) =>
          Object.keys(state.waiting).flatMap((key) => changesOf(list, state, key)),
        ),
      };
    },
    /** Accepts the changes. @throws RuntimeError `consent-needed` when they are no longer those that the user saw */
    accept(app: InstalledApp, binding: string) {
      decide(app, binding, (_list, state) => afterAccepting(state));
      events.emit({ type: 'tools-accepted', appId: app.appId });
    },
    /** Keeps the accepted descriptions: the user is not asked about these changes again. @throws RuntimeError as `accept` */
    reject(app: InstalledApp, binding: string) {
      decide(app, binding, afterRejecting);
      events.emit({ type: 'tools-rejected', appId: app.appId });
    },
  };
}

export type Pins = ReturnType<typeof openPins>;
