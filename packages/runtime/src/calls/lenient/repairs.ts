import type { Events, RuntimeEvent } from '../../events/events.ts';

/** Maximum kept repairs of one app. */
const MAX_REPAIRS = 50;

/** Creates the list, in memory. */
export function createRepairs({ emit }: Pick<Events, 'emit'>) {
  const all = new Map<string, Set<string>>();
  return {
    /** Adds a repair and, the first time, emits it. */
    add(appId: string, what: string) {
      const known = all.get(appId) ?? new Set();
      if (known.has(what) || known.size >= MAX_REPAIRS) return;
      all.set(appId, known.add(what));
      emit({ type: 'server-repaired', appId, what });
    },
    of: (appId: string): readonly string[] => [...(all.get(appId) ?? [])],
    /** Discards the repairs of an app that is another one now. */
    handleEvent(event: RuntimeEvent) {
      const isOther = ['app-updated', 'app-removed', 'developer-app-changed'].includes(event.type);
      if (isOther && 'appId' in event && event.appId !== null) all.delete(event.appId);
    },
  };
}

/** What was dropped or repaired of the messages of each app's server, since this process started. */
export type Repairs = ReturnType<typeof createRepairs>;
