import type { RuntimeEvent } from '@svc/runtime';
import type { PageEvents } from '../events/page-events.ts';
import type { DesktopEvent } from '../wire/events.ts';
import type { Activity, NewEntry } from './open-activity.ts';

const callEntry = (event: Extract<DesktopEvent, { type: 'call-log' }>): NewEntry => {
  const { at, appId, tool, asker, ms, outcome, detail } = event;
  return { at, appId, kind: 'tool', name: tool, asker, ms, outcome, detail };
};

const OUTCOMES = {
  'account-connected': 'connected',
  'account-disconnected': 'disconnected',
  'account-dropped': 'dropped',
} as const;

type AccountEvent = Extract<RuntimeEvent, { type: keyof typeof OUTCOMES }>;

const isAccountEvent = (event: RuntimeEvent): event is AccountEvent => Object.hasOwn(OUTCOMES, event.type);

const accountEntry = ({ type, appId, accountId }: AccountEvent, at: string): NewEntry => ({
  ...{ at, appId, kind: 'account', name: accountId, asker: null, ms: null },
  ...{ outcome: OUTCOMES[type], detail: '' },
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

/**
 * Records calls, account events, the logs of servers and repaired answers, and deletes the entries of an app when it is removed.
 * @returns a function that stops recording
 */
export function keepActivity(
  activity: Pick<Activity, 'add' | 'clear'>,
  { events, now }: { events: PageEvents; now(): Date },
): () => void {
  /** Removed apps. A call that ends after the removal of its app is not recorded. */
  const removed = new Set<string>();

  function onRuntimeEvent(event: RuntimeEvent): void {
    if (event.type === 'app-removed') {
      removed.add(event.appId);
      activity.clear(event.appId);
    } else if (event.type === 'app-installed') removed.delete(event.appId);
    else if (event.type === 'developer-app-changed' && event.appId !== null) removed.delete(event.appId);
    const words = serverWords(event);
    if (words && !removed.has(words.appId))
      activity.add({ at: now().toISOString(), kind: 'server', asker: null, ms: null, detail: '', ...words });
    else if (isAccountEvent(event) && !removed.has(event.appId))
      activity.add(accountEntry(event, now().toISOString()));
  }

  return events.subscribe(null, (event) => {
    if (event.type === 'runtime') onRuntimeEvent(event.event);
    else if (event.type === 'call-log' && event.outcome !== 'not-installed' && !removed.has(event.appId))
      activity.add(callEntry(event));
  });
}
