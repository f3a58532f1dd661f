import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import type { ServedTool } from '@svc/contracts';
import { remoteNameOf } from '@svc/contracts/vocabulary';
import { compareTools, newTool, type ToolChange } from '@svc/permissions';
import type { Events } from '../../events/events.ts';
import { declaredTools, type InstalledApp, isConnector, isToolName } from '../../library/installed-app.ts';
import { inTransaction } from '../../library/library-database.ts';
import type { LibraryStorage } from '../../library/library-storage.ts';
import { RuntimeError } from '../../platform/runtime-error.ts';
import type { System } from '../../platform/system.ts';
import { type Note, quotedName } from '../lenient/repair-block.ts';
import { hashOfTools, type PinnedTool, pinnedTool } from './pinned-tool.ts';

/** Most tools of a server that are kept, most characters of JSON of one listing, and of all that is kept of an app. */
const MAX_TOOLS = 200;
const MAX_LISTED = 3.5 * 1024 * 1024;
const MAX_JSON = 4 * 1024 * 1024;
/** Most names of tools that a note quotes. */
const MAX_NAMED = 20;
/** Changes that were announced or rejected: a server that switches between some of them is announced, and asked about, once for each. */
const MAX_ANNOUNCED = 20;

/** Changes of a server's tools that wait for the user. */
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
  changes: ToolChange[];
};

/** What is stored of an app. */
type State = {
  /** The accepted descriptions, also of tools that the server does not list at the moment. */
  tools: Record<string, PinnedTool>;
  /** Names of the last listing. */
  listed: string[];
  /** What the server says now of tools whose change waits, by name. */
  waiting: Record<string, PinnedTool>;
  since: string | null;
  /** Hashes of changes that were announced, and of those that were rejected. */
  announced: string[];
  rejected?: string[];
  /** Names of the tools whose accepted description is that of the store's record. */
  fromStore?: string[];
};

/** The accepted descriptions of an app's tools. */
export type Pinned = { listed: PinnedTool[]; newParams(name: string): string[] };

/** What a pin belongs to: a bundle, or the address of a connector. */
const editionOf = ({ source, version }: InstalledApp): string =>
  source.kind === 'store' ? source.sha256 : JSON.stringify([source, version]);

const EMPTY: State = { tools: {}, listed: [], waiting: {}, since: null, announced: [] };

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

/** The part of a listing that can be called, within the bounds. @param note receives what is beyond them */
function usableTools(app: InstalledApp, listed: readonly ServerTool[], note?: Note): PinnedTool[] {
  const callable = callableTools(app, listed);
  const kept: PinnedTool[] = [];
  let room = MAX_LISTED;
  for (const tool of callable.slice(0, MAX_TOOLS)) {
    const pin = pinnedTool(tool, isConnector(app));
    room -= JSON.stringify(pin).length;
    if (room < 0) break;
    kept.push(pin);
  }
  const leftOut = callable.slice(kept.length).map(({ name }) => quotedName(name));
  if (leftOut.length > MAX_NAMED) leftOut.splice(MAX_NAMED, leftOut.length, '…');
  if (leftOut.length > 0)
    note?.(
      `The server has more tools than can be kept: ${callable.length - kept.length} were left out (${leftOut.join(', ')}).`,
    );
  return kept;
}

/** The changes of a tool that wait. */
const changesOf = (state: State, name: string): ToolChange[] => {
  const [before, after] = [state.tools[name], state.waiting[name]];
  if (!after) return [];
  return before ? compareTools(before, after) : [newTool(after)];
};

const hashOfWaiting = ({ tools, waiting }: State): string =>
  createHash('sha256')
    .update(hashOfTools(Object.values(waiting)))
    .update(hashOfTools(Object.keys(waiting).flatMap((name) => tools[name] ?? [])))
    .digest('hex');

/** Keeps the accepted tools within their limit: tools that are not listed go first. */
function bounded(tools: Record<string, PinnedTool>, listed: ReadonlySet<string>): Record<string, PinnedTool> {
  const entries = Object.entries(tools);
  if (entries.length <= 2 * MAX_TOOLS) return tools;
  return Object.fromEntries(entries.filter(([name]) => listed.has(name)));
}

/** Whether a tool is as accepted, brings nothing new, or waits for the user, as new tools of a connector do. */
function verdictOn(
  pin: PinnedTool | undefined,
  tool: PinnedTool,
  newOnesWait: boolean,
): 'same' | 'taken' | 'waits' {
  if (pin === undefined) return newOnesWait ? 'waits' : 'taken';
  const changes = compareTools(pin, tool);
  if (changes.some(({ widens }) => widens)) return 'waits';
  return changes.length > 0 ? 'taken' : 'same';
}

/** The state after a listing. A developer's own folder takes over everything. */
function afterListing(
  app: InstalledApp,
  before: State | null,
  now: readonly PinnedTool[],
  at: string,
): State {
  const { tools: was, since, fromStore: recorded, ...rest } = before ?? EMPTY;
  const takesAll = before === null || app.source.kind === 'developer';
  const [tools, waiting] = [new Map(Object.entries(was)), new Map<string, PinnedTool>()];
  const fromStore = new Set(recorded);
  for (const tool of now) {
    const verdict = verdictOn(tools.get(tool.name), tool, isConnector(app));
    if (verdict === 'waits' && !takesAll) waiting.set(tool.name, tool);
    else {
      tools.set(tool.name, tool);
      if (verdict !== 'same') fromStore.delete(tool.name);
    }
  }
  const names = now.map(({ name }) => name);
  return {
    ...rest,
    tools: bounded(Object.fromEntries(tools), new Set(names)),
    listed: names,
    waiting: Object.fromEntries(waiting),
    since: waiting.size === 0 ? null : (since ?? at),
    fromStore: [...fromStore],
  };
}

/** Keeps nothing: each listing is the first one. For built-in apps, whose tools come with the client. */
export const NO_PINS: ToolPins = {
  settle: usableTools,
  seed: () => undefined,
  of: () => null,
  waiting: () => null,
  accept: () => undefined,
  reject: () => undefined,
};

/** Opens the accepted descriptions of a library. Removing an app deletes them. */
export function openToolPins(
  { database }: Pick<LibraryStorage, 'database'>,
  { system, events }: { system: Pick<System, 'now'>; events: Events },
) {
  const select = database.prepare('select state from tool_pins where app_id = ? and edition = ?');
  const insert = database.prepare(
    'insert or replace into tool_pins (app_id, edition, state) select ?, ?, ? where exists (select 1 from apps where app_id = ?)',
  );

  function read(app: InstalledApp): State | null {
    const row = select.get(app.appId, editionOf(app));
    return row ? (JSON.parse(String(row.state)) as State) : null;
  }

  function write({ appId, ...app }: InstalledApp, state: State): void {
    const json = JSON.stringify(state);
    if (json.length > MAX_JSON)
      throw new RuntimeError('too-large', 'The server describes its tools at too great a length.');
    insert.run(appId, editionOf({ appId, ...app }), json, appId);
  }

  /** Announces changes that the user has not been told of. */
  function announced(state: State): { state: State; isNew: boolean } {
    if (Object.keys(state.waiting).length === 0) return { state, isNew: false };
    const hash = hashOfWaiting(state);
    if (state.announced.includes(hash)) return { state, isNew: false };
    return {
      state: { ...state, announced: [hash, ...state.announced].slice(0, MAX_ANNOUNCED) },
      isNew: true,
    };
  }

  /** Writes what the user decided about the changes that they saw. */
  function decide(app: InstalledApp, binding: string, decided: (state: State) => State): void {
    inTransaction(database, () => {
      const state = read(app);
      if (!state?.since || hashOfWaiting(state) !== binding)
        throw new RuntimeError(
          'consent-needed',
          'The server has changed its tools again. Look at the changes again.',
        );
      write(app, decided(state));
    });
  }

  /** The names of the parameters that a waiting change of a tool brings. */
  const newParams = (state: State, tool: string): string[] =>
    changesOf(state, tool).flatMap(({ kind, path, widens }) =>
      kind === 'parameter' && widens
        ? [(path.split('/').at(-1) ?? '').replaceAll('~1', '/').replaceAll('~0', '~')]
        : [],
    );

  const offered = ({ tools, listed }: State): PinnedTool[] => listed.flatMap((name) => tools[name] ?? []);

  return {
    /**
     * Compares a listing with the accepted one. The first listing of a bundle or address is accepted, and later whatever brings nothing
     * new; the rest waits for the user.
     * @param note receives which tools are beyond the bounds
     * @returns the descriptions that models read
     */
    settle(app: InstalledApp, listed: readonly ServerTool[], note?: Note) {
      const now = usableTools(app, listed, note);
      const at = new Date(system.now()).toISOString();
      const before = read(app);
      const expected = announced(afterListing(app, before, now, at)).state;
      if (before && isDeepStrictEqual(before, expected)) return offered(before);
      const { state, isNew } = inTransaction(database, () => {
        const next = announced(afterListing(app, read(app), now, at));
        write(app, next.state);
        return next;
      });
      if (isNew) events.emit({ type: 'tools-changed', appId: app.appId });
      return offered(state);
    },
    /**
     * Accepts the tools of the store's signed record, before the server has listed any: what the server says otherwise at its first listing
     * waits for the user.
     */
    seed(app: InstalledApp, recorded: readonly ServedTool[]) {
      inTransaction(database, () => {
        if (read(app)) return;
        const tools = usableTools(app, recorded as readonly ServerTool[]);
        if (tools.length === 0) return;
        const entries = tools.map((tool) => [tool.name, tool]);
        const listed = tools.map(({ name }) => name);
        write(app, { ...EMPTY, tools: Object.fromEntries(entries), listed, fromStore: listed });
      });
    },
    /** The accepted descriptions; null before the first listing. */
    of(app: InstalledApp): Pinned | null {
      const state = read(app);
      return state && { listed: offered(state), newParams: (tool) => newParams(state, tool) };
    },
    /** The changes of an app that wait for the user; null for none. */
    waiting(app: InstalledApp): WaitingChanges | null {
      const state = read(app);
      if (!state?.since) return null;
      const binding = hashOfWaiting(state);
      return {
        ...{ appId: app.appId, name: app.manifest.name, since: state.since, binding },
        recorded: (state.fromStore ?? []).filter((name) => Object.hasOwn(state.waiting, name)),
        rejected: state.rejected?.includes(binding) === true,
        changes: Object.keys(state.waiting).flatMap((name) => changesOf(state, name)),
      };
    },
    /** Accepts the changes. @throws RuntimeError `consent-needed` when they are no longer those that the user saw */
    accept(app: InstalledApp, binding: string) {
      decide(app, binding, ({ fromStore = [], ...state }) => ({
        ...{ ...state, tools: { ...state.tools, ...state.waiting }, waiting: {}, since: null },
        fromStore: fromStore.filter((name) => !Object.hasOwn(state.waiting, name)),
      }));
      events.emit({ type: 'tools-accepted', appId: app.appId });
    },
    /** Keeps the accepted descriptions: the user is not asked about these changes again. @throws RuntimeError as `accept` */
    reject(app: InstalledApp, binding: string) {
      decide(app, binding, (state) => ({
        ...state,
        rejected: [binding, ...(state.rejected ?? []).filter((one) => one !== binding)].slice(
          0,
          MAX_ANNOUNCED,
        ),
      }));
      events.emit({ type: 'tools-rejected', appId: app.appId });
    },
  };
}

export type ToolPins = ReturnType<typeof openToolPins>;
