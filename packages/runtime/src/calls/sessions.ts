import { inBackground } from '@svc/contracts/guarded';
import type { BuiltInApp } from '../built-in/built-in-app.ts';
import type { HeaderStore } from '../connectors/connector-headers.ts';
import {
  enforcedFootprint,
  headerNamesOf,
  type InstalledApp,
  isConnector,
  localPartOf,
} from '../library/installed-app.ts';
import { developerFoldersOnly, type LoopbackOf } from '../library/loopback.ts';
import type { Connecting } from '../network/connector.ts';
import { createGuardedFetch, type GuardedFetch } from '../network/guarded-fetch.ts';
import { isRefusal } from '../platform/runtime-error.ts';
import { createSingleFlight } from '../platform/single-flight.ts';
import type { System } from '../platform/system.ts';
import { withinTime } from '../platform/within-time.ts';
import {
  authorisedFetch,
  type CallContext,
  callContext,
  endingWithCall,
  fetchWithHeaders,
  openFetch,
  type TokenSource,
} from './authorised-fetch.ts';
import { type Connection, connectToServer, type ServingOptions } from './connection.ts';
import { isSessionLost } from './fault.ts';
import { createKnownEras, type KnownEras } from './negotiate-era.ts';
import { type CommandDeps, openCommand } from './open-command.ts';
import { NO_CONTENT } from './operations.ts';
import { createSecrets, type Secrets } from './secrets.ts';
import { createRunningCalls, type RunningCalls } from './server-requests.ts';

/** Idle time after which a session is closed, in milliseconds. */
const IDLE_MS = 5 * 60_000;

/** Maximum response size, in bytes: room for several of the largest files in base64. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Time limit for opening a session, in milliseconds. */
const OPENING_MS = 30_000;

/** What the embedding client gives for sessions. */
export type ClientSessions = Pick<CommandDeps, 'client' | 'commands' | 'onFault'> & {
  system: System;
  tokens: TokenSource;
  connecting?: Connecting | undefined;
  /** What apps may reach on this machine. Default: only apps of developer folders. */
  loopbackOf?: LoopbackOf | undefined;
  /** The headers that the user gave for connectors. */
  headers?: HeaderStore | undefined;
  /** Built-in apps by id, which have no server. */
  builtIn?: ReadonlyMap<string, BuiltInApp> | undefined;
};

type SessionDeps = ClientSessions &
  CommandDeps & {
    /** Maximum time of a request, in milliseconds. */
    maxMs: number;
    /** What the client does with the messages of an app's server. */
    serving?: ((app: InstalledApp, secrets: Secrets, calls: RunningCalls) => ServingOptions) | undefined;
    /** What the user lets the app do: after a change the next call opens a session. */
    choicesOf?: ((app: InstalledApp) => object | null) | undefined;
  };

/** A connection of an app and, if it has one, an account. */
export type Session = { connection: Connection; fetch: GuardedFetch; calls: RunningCalls };

type PooledSession = {
  key: string;
  appId: string;
  accountId: string | null;
  session: Session;
  activeCalls: number;
  /** Whether new calls may not use it. */
  isRetired: boolean;
  /** End of its last call. */
  lastUsedAt: number;
  /** Stops the idle timer. */
  idle: AbortController;
};

const keyOf = (app: InstalledApp, accountId: string | null, choices: object | null): string =>
  JSON.stringify([
    ...[app.appId, app.version, enforcedFootprint(app).mcpUrl, accountId],
    ...[localPartOf(app), headerNamesOf(app), choices],
  ]);

function fetchFor(
  app: InstalledApp,
  { system, connecting, maxMs: longestMs, loopbackOf = developerFoldersOnly }: SessionDeps,
): GuardedFetch {
  // The time limit of the call bounds each request.
  const local = localPartOf(app);
  const times = { headersMs: longestMs, silenceMs: longestMs, totalMs: Number.POSITIVE_INFINITY };
  return createGuardedFetch({
    system,
    allowed: enforcedFootprint(app).domains,
    home: new URL(enforcedFootprint(app).mcpUrl).origin,
    allowLoopback: loopbackOf(app),
    ...(local?.kind === 'address' && { pinned: local.addresses }),
    personal: headerNamesOf(app),
    bounds: { ...times, maxBytes: MAX_ANSWER_BYTES },
    ...(connecting && { connecting }),
  });
}

/** The connection of a built-in app. */
const connectBuiltIn = ({ tools, call }: BuiltInApp): Connection => ({
  listTools: async () => [...tools],
  callTool: (name, args, { signal }) => call(name, args, signal),
  content: NO_CONTENT,
  close: async () => undefined,
});

async function openSession(
  deps: SessionDeps & { known: KnownEras },
  { app, accountId, secrets }: { app: InstalledApp; accountId: string | null; secrets: Secrets },
  signal: AbortSignal,
): Promise<Session> {
  const guarded = fetchFor(app, deps);
  const calls = createRunningCalls();
  const builtIn = app.source.kind === 'built-in' ? deps.builtIn?.get(app.appId) : undefined;
  if (builtIn) return { connection: connectBuiltIn(builtIn), fetch: guarded, calls };
  const local = localPartOf(app);
  const serving = deps.serving?.(app, secrets, calls) ?? {};
  if (local?.kind === 'command') {
    const command = { ...serving, app, command: local, secrets };
    return { connection: await openCommand(deps, command, signal), fetch: guarded, calls };
  }
  const { headers } = deps;
  const ending = fetchWithHeaders(app, endingWithCall(guarded), { headers, secrets });
  const { system, client, tokens } = deps;
  const fetch =
    accountId === null
      ? openFetch({ app, fetch: ending, tokens })
      : authorisedFetch({ app, accountId, fetch: ending, tokens, secrets });
  try {
    const connection = await withinTime(system, OPENING_MS, signal, (timed) =>
      connectToServer({
        ...serving,
        system,
        url: enforcedFootprint(app).mcpUrl,
        fetch,
        client,
        known: deps.known,
        older: isConnector(app),
        signal: timed,
      }),
    );
    return { connection, fetch: guarded, calls };
  } catch (error) {
    await guarded.close();
    throw error;
  }
}

/** Runs work that is started in a call and may outlive it. */
function withoutCallSignal<T>(work: () => Promise<T>): Promise<T> {
  const context = callContext.getStore();
  if (!context) return work();
  const own: CallContext = { ...context, signal: null, limit: null };
  return callContext.run(own, work);
}

async function endSession(held: PooledSession): Promise<void> {
  held.idle.abort();
  await held.session.connection.close().catch(() => undefined);
  await held.session.fetch.close();
}

/** Whether the program of a connector timed out: it is killed, and started again for the next call. */
const isStuck = (app: InstalledApp, { reason }: AbortSignal): boolean =>
  isRefusal(reason, 'too-slow') && localPartOf(app)?.kind === 'command';

export function createSessions(deps: SessionDeps) {
  const all = new Map<string, PooledSession>();
  const secrets = new Map<string, Secrets>();
  const opening = createSingleFlight<PooledSession>();
  /** Counts the retirements of an account's sessions, to retire a session that was being opened at the time. */
  const retirements = new Map<string, number>();
  const retirementsOf = (appId: string, accountId: string | null): number =>
    retirements.get(JSON.stringify([appId, accountId])) ?? 0;
  const known = createKnownEras(deps.system);

  function secretsOf(appId: string): Secrets {
    const known = secrets.get(appId) ?? createSecrets();
    secrets.set(appId, known);
    return known;
  }

  function end(held: PooledSession): Promise<void> {
    if (all.get(held.key) === held) all.delete(held.key);
    return endSession(held);
  }

  /** Keeps new calls out of a session, and closes it after its last running call. */
  function retire(held: PooledSession): void {
    if (all.get(held.key) === held) all.delete(held.key);
    held.isRetired = true;
    if (held.activeCalls === 0) inBackground(endSession(held), deps.onFault);
  }

  async function begin(
    app: InstalledApp,
    accountId: string | null,
    signal: AbortSignal,
  ): Promise<PooledSession> {
    const { appId } = app;
    const retired = retirementsOf(appId, accountId);
    const session = await openSession(
      { ...deps, known },
      { app, accountId, secrets: secretsOf(appId) },
      signal,
    );
    const held: PooledSession = {
      key: keyOf(app, accountId, deps.choicesOf?.(app) ?? null),
      appId,
      accountId,
      session,
      activeCalls: 0,
      isRetired: retired !== retirementsOf(appId, accountId),
      lastUsedAt: deps.system.now(),
      idle: new AbortController(),
    };
    if (signal.aborted) {
      await endSession(held);
      throw signal.reason;
    }
    if (!held.isRetired) all.set(held.key, held);
    session.connection.ended?.then(() => retire(held)).catch(() => undefined);
    // It ends by the abort of its timer.
    inBackground(watch(held), () => undefined);
    return held;
  }

  /** Closes a session after its idle time. Each session has one timer. */
  async function watch(held: PooledSession): Promise<void> {
    for (let wait = IDLE_MS; !held.isRetired; ) {
      await deps.system.sleep(wait, held.idle.signal);
      const remaining = held.lastUsedAt + IDLE_MS - deps.system.now();
      if (held.activeCalls === 0 && remaining <= 0) return end(held);
      wait = held.activeCalls === 0 ? remaining : IDLE_MS;
    }
  }

  function release(held: PooledSession): void {
    held.activeCalls -= 1;
    held.lastUsedAt = deps.system.now();
    if (held.activeCalls === 0 && held.isRetired) inBackground(end(held), deps.onFault);
  }

  const close = async (which: (held: PooledSession) => boolean): Promise<void> => {
    await Promise.all([...all.values()].filter(which).map(end));
  };

  return {
    /** Runs work in a session, opening one if needed. */
    async use<T>(
      app: InstalledApp,
      accountId: string | null,
      signal: AbortSignal,
      work: (session: Session) => Promise<T>,
    ): Promise<T> {
      const key = keyOf(app, accountId, deps.choicesOf?.(app) ?? null);
      const held =
        all.get(key) ??
        // Other calls may wait for the session after the call that opens it has ended.
        (await opening(key, (ended) => withoutCallSignal(() => begin(app, accountId, ended)), signal));
      held.activeCalls += 1;
      try {
        return await held.session.calls.during(() => work(held.session));
      } catch (error) {
        // The next call opens a new session.
        if ((isSessionLost(error) || isStuck(app, signal)) && all.get(key) === held) retire(held);
        throw error;
      } finally {
        release(held);
      }
    },
    /** Retires the sessions of an account: each closes after its last running call. */
    retire(appId: string, accountId: string) {
      const key = JSON.stringify([appId, accountId]);
      retirements.set(key, (retirements.get(key) ?? 0) + 1);
      for (const held of all.values()) {
        if (held.appId === appId && held.accountId === accountId) retire(held);
      }
    },
    /** Closes the sessions of an app, or of one of its accounts, for all callers. */
    close: (appId: string, accountId?: string) =>
      close((held) => held.appId === appId && (accountId === undefined || held.accountId === accountId)),
    stop: () => close(() => true),
    secretsOf,
  };
}

/** The sessions of all apps: one for each app, version and account, shared by its calls. */
export type Sessions = ReturnType<typeof createSessions>;
