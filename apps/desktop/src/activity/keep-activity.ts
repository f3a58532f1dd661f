import type { InstalledApp, RuntimeEvent } from '@svc/runtime';
import { cleanLine } from '@svc/text';
import type { PageEvents } from '../events/page-events.ts';
import { type Activity, type Begun, type Ended, MAX_TEXT, type NewEntry } from './open-activity.ts';

const OUTCOMES = {
  'account-connected': 'connected',
  'account-disconnected': 'disconnected',
  'account-dropped': 'dropped',
} as const;

type AccountEvent = Extract<RuntimeEvent, { type: keyof typeof OUTCOMES }>;

const isAccountEvent = (event: RuntimeEvent): event is AccountEvent => Object.hasOwn(OUTCOMES, event.type);

/** What no caller asked for. */
const UNASKED = { asker: null, chat: null, ms: null, detail: '' };

const accountEntry = ({ type, appId, accountId }: AccountEvent, at: string): NewEntry => ({
  ...UNASKED,
  ...{ at, appId, kind: 'account', name: accountId, outcome: OUTCOMES[type] },
});

/** What a server said without being asked, or what was repaired of its messages: a name and an outcome; null for other events. */
function serverWords(event: RuntimeEvent): { appId: string; name: string; outcome: string } | null {
  switch (event.type) {
    case 'server-repaired':
      return { appId: event.appId, name: event.what, outcome: 'repaired' };
    case 'server-log':
      return { appId: event.appId, name: event.text, outcome: `log: ${event.level}` };
    case 'server-list-changed':
      return { appId: event.appId, name: `The server changed its ${event.list}.`, outcome: 'changed' };
    default:
      return null;
  }
}

/** A yank or its end as an entry; null for other events. The version comes first in its name: a reason can contain anything. */
function yankWords(event: RuntimeEvent): { appId: string; name: string; outcome: string } | null {
  if (event.type === 'app-yanked')
    return { appId: event.appId, name: `${event.version}: ${event.reason}`, outcome: 'yanked' };
  if (event.type === 'app-restored')
    return { appId: event.appId, name: event.version, outcome: event.on ? 'restored' : 'unyanked' };
  return null;
}

/** Adds a yank or its end, unless it is the last one of its app: each start of the desktop emits the yanks in force. */
function addYank(
  activity: Pick<Activity, 'add' | 'list'>,
  { appId, name, outcome }: Pick<NewEntry, 'appId' | 'name' | 'outcome'>,
  at: string,
): void {
  const [last] = activity.list({ appId, kind: 'yank' }).entries;
  if (last?.outcome === outcome && last.name === cleanLine(name, MAX_TEXT)) return;
  activity.add({ ...UNASKED, at, appId, kind: 'yank', name, outcome });
}

/** Records the end of the yanks that another process of this folder accepted while the desktop was closed. */
export function addMissedEnds(
  activity: Pick<Activity, 'add' | 'list'>,
  apps: readonly InstalledApp[],
  now: Date,
): void {
  for (const { appId, version, yanked, on, restoredAt } of apps) {
    const [last] = activity.list({ appId, kind: 'yank' }).entries;
    if (yanked || last?.outcome !== 'yanked' || !last.name.startsWith(`${version}: `)) continue;
    const outcome = on || restoredAt != null ? 'restored' : 'unyanked';
    addYank(activity, { appId, name: version, outcome }, restoredAt ?? now.toISOString());
  }
}

/** What is under way, by a key: the entries that were written when it began. */
function createUnderWay(activity: Pick<Activity, 'begin' | 'end' | 'drop'>) {
  const entries = new Map<string, number>();
  return {
    begin(key: string, entry: Begun): void {
      entries.set(key, activity.begin(entry));
    },
    /** @returns whether it is known */
    end(key: string, ended: Ended | null): boolean {
      const id = entries.get(key);
      entries.delete(key);
      if (id !== undefined && ended) activity.end(id, ended);
      else if (id !== undefined) activity.drop(id);
      return id !== undefined;
    },
  };
}

/**
 * Records calls and sign-ins when they begin and end, account events, yanks, the logs of servers and repaired answers, and deletes the entries of an
 * app when it is removed.
 * @returns a function that stops recording
 */
export function keepActivity(
  activity: Pick<Activity, 'add' | 'begin' | 'end' | 'drop' | 'clear' | 'list'>,
  { events, now }: { events: PageEvents; now(): Date },
): () => void {
  /** Removed apps. A call that ends after the removal of its app is not recorded. */
  const removed = new Set<string>();
  const underWay = createUnderWay(activity);

  function onSignIn({
    type,
    appId,
    accountId,
  }: Extract<RuntimeEvent, { type: 'sign-in-started' | 'sign-in-ended' }>) {
    const key = `sign-in ${appId} ${accountId}`;
    const by = { asker: null, chat: null };
    const entry = { ...by, at: now().toISOString(), appId, kind: 'account', name: accountId } as const;
    // How it ended is an event of its own.
    if (type === 'sign-in-ended') underWay.end(key, null);
    else if (!removed.has(appId)) underWay.begin(key, entry);
  }
  function onRemoval(event: RuntimeEvent): void {
    if (event.type === 'app-removed') {
      removed.add(event.appId);
      activity.clear(event.appId);
    } else if (event.type === 'app-installed') removed.delete(event.appId);
    else if (event.type === 'developer-app-changed' && event.appId !== null) removed.delete(event.appId);
  }
  function onRuntimeEvent(event: RuntimeEvent): void {
    onRemoval(event);
    if (event.type === 'sign-in-started' || event.type === 'sign-in-ended') onSignIn(event);
    const words = serverWords(event);
    if (words && !removed.has(words.appId))
      activity.add({ ...UNASKED, at: now().toISOString(), kind: 'server', ...words });
    else if (isAccountEvent(event) && !removed.has(event.appId))
      activity.add(accountEntry(event, now().toISOString()));
  }

  /** An update that the user did not start by its installation, which has an entry. It is in the library whole, or not at all. */
  function onUpdate(event: RuntimeEvent): void {
    if (event.type !== 'app-updated' || removed.has(event.appId)) return;
    const [last] = activity.list({ appId: event.appId, kind: 'install' }).entries;
    if (last?.outcome === 'under-way' && last.name === event.version) return;
    const entry = { appId: event.appId, kind: 'install', name: event.version, outcome: 'updated' } as const;
    activity.add({ ...UNASKED, at: now().toISOString(), ...entry });
  }

  function onYank(event: RuntimeEvent): void {
    const yank = yankWords(event);
    if (yank && !removed.has(yank.appId)) addYank(activity, yank, now().toISOString());
  }

  return events.subscribe(null, (event) => {
    if (event.type === 'runtime') {
      onRuntimeEvent(event.event);
      onUpdate(event.event);
      onYank(event.event);
    } else if (event.type === 'call-begun' && !removed.has(event.appId)) {
      const { at, appId, tool, asker, chat } = event;
      underWay.begin(event.log, { at, appId, kind: 'tool', name: tool, asker, chat });
    } else if (event.type === 'call-log') {
      const isCall = event.outcome !== 'not-installed';
      const { log, type: _type, tool, ...ended } = event;
      if (!underWay.end(log, isCall ? ended : null) && isCall && !removed.has(event.appId))
        activity.add({ ...ended, kind: 'tool', name: tool });
    }
  });
}
