import { setImmediate } from 'node:timers/promises';
import { inBackground } from '@svc/contracts/guarded';
import type { Runtime, System } from '@svc/runtime';

/** Parallel requests, and how long to wait before a server is queried again, in milliseconds. */
const CONCURRENCY = 4;
const RETRY_MS = 5 * 60_000;
/** How long queries in the background wait, so that the list that asks for them is sent first, in milliseconds. */
const BEFORE_MS = 200;
/** How long a search waits for `tools/list` responses, in milliseconds. */
const WAIT_MS = 3_000;

/** @param onChanged tells the agents; called after a round in which a server listed its tools for the first time */
export function createToolRefresh(
  runtime: Pick<Runtime, 'tools' | 'toolsNow'>,
  system: Pick<System, 'now' | 'sleep'>,
  onChanged: () => void,
) {
  const stopping = new AbortController();
  const tried = new Map<string, number>();

  function isUnlisted(appId: string, project: string): boolean {
    try {
      return !runtime.toolsNow(appId, { project }).listed;
    } catch {
      return false;
    }
  }

  /** Claims the servers to query now, so that concurrent rounds do not query them twice. */
  function claim(appIds: readonly string[], project: string): string[] {
    const now = system.now();
    const due = [...new Set(appIds)].filter(
      (appId) =>
        (tried.get(appId) ?? Number.NEGATIVE_INFINITY) + RETRY_MS <= now && isUnlisted(appId, project),
    );
    for (const appId of due) tried.set(appId, now);
    return due;
  }

  async function queryOne(appId: string, project: string): Promise<boolean> {
    try {
      await runtime.tools(appId, { project, signal: stopping.signal });
      return !isUnlisted(appId, project);
    } catch {
      // A server that cannot be reached is queried again when a tool is called, which then reports the error.
      return false;
    }
  }

  async function queryAll(appIds: readonly string[], project: string): Promise<void> {
    const queue = claim(appIds, project);
    let hasChanged = false;
    async function work(): Promise<void> {
      for (let appId = queue.shift(); appId !== undefined; appId = queue.shift()) {
        hasChanged = (await queryOne(appId, project)) || hasChanged;
        // Requests of agents are served between two servers, also while all of them are refused at once.
        await setImmediate();
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    if (hasChanged && !stopping.signal.aborted) onChanged();
  }

  return {
    /** Tells the agents that tools are offered in another form. */
    announce: onChanged,
    /** Queries the servers that have not listed their tools yet, and notifies when a list arrives. */
    request(appIds: readonly string[], project: string): void {
      const begun = system.sleep(BEFORE_MS, stopping.signal).then(() => queryAll(appIds, project));
      inBackground(begun, () => undefined);
    },
    /** Queries them and waits for the responses, up to a timeout in milliseconds. */
    async wait(appIds: readonly string[], project: string, timeoutMs: number = WAIT_MS) {
      const enough = new AbortController();
      const signal = AbortSignal.any([enough.signal, stopping.signal]);
      await Promise.race([
        queryAll(appIds, project),
        system.sleep(timeoutMs, signal).catch(() => undefined),
      ]).finally(() => enough.abort());
    },
    /** Has the server of an app queried again: it says that its tools have changed. */
    forget: (appId: string) => void tried.delete(appId),
    stop: () => stopping.abort(),
  };
}

/** Queries the servers of apps for their tools in the background. */
export type ToolRefresh = ReturnType<typeof createToolRefresh>;
