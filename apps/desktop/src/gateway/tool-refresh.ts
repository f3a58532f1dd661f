import type { Runtime, System } from '@svc/runtime';

/** Servers asked at once, and how long one that did not answer is left alone, in milliseconds. */
const AT_ONCE = 4;
const AGAIN_MS = 5 * 60_000;
/** How long a search waits for schemas, in milliseconds. */
const WAIT_MS = 3_000;

/** Asks apps' servers for their tools behind the back of those who list them. */
export type ToolRefresh = {
  /** Asks those that were not heard yet, and tells when something new was heard. */
  ask(appIds: readonly string[], project: string): void;
  /** Asks them and waits for it, though not for long. */
  wait(appIds: readonly string[], project: string): Promise<void>;
  stop(): void;
};

/** @param onNews called once after a round in which some server was heard for the first time */
export function createToolRefresh(
  runtime: Pick<Runtime, 'tools' | 'toolsNow'>,
  system: Pick<System, 'now' | 'sleep'>,
  onNews: () => void,
): ToolRefresh {
  const stopping = new AbortController();
  const tried = new Map<string, number>();

  function isUnheard(appId: string, project: string): boolean {
    try {
      return !runtime.toolsNow(appId, { project }).listed;
    } catch {
      return false;
    }
  }

  /** Takes those to be asked now, so that two who list at once do not ask twice. */
  function take(appIds: readonly string[], project: string): string[] {
    const now = system.now();
    const due = [...new Set(appIds)].filter(
      (appId) =>
        (tried.get(appId) ?? Number.NEGATIVE_INFINITY) + AGAIN_MS <= now && isUnheard(appId, project),
    );
    for (const appId of due) tried.set(appId, now);
    return due;
  }

  async function askOne(appId: string, project: string): Promise<boolean> {
    try {
      await runtime.tools(appId, { project, signal: stopping.signal });
      return !isUnheard(appId, project);
    } catch {
      // A server that is away is heard when a tool is called, and what it says then is told then.
      return false;
    }
  }

  async function askAll(appIds: readonly string[], project: string): Promise<void> {
    const left = take(appIds, project);
    let news = false;
    async function work(): Promise<void> {
      for (let appId = left.shift(); appId !== undefined; appId = left.shift())
        news = (await askOne(appId, project)) || news;
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (news && !stopping.signal.aborted) onNews();
  }

  return {
    ask: (appIds, project) => void askAll(appIds, project),
    async wait(appIds, project) {
      const enough = new AbortController();
      const signal = AbortSignal.any([enough.signal, stopping.signal]);
      await Promise.race([
        askAll(appIds, project),
        system.sleep(WAIT_MS, signal).catch(() => undefined),
      ]).finally(() => enough.abort());
    },
    stop: () => stopping.abort(),
  };
}
