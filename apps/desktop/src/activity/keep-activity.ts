import type { RuntimeEvent } from '@svc/runtime';
import type { PageEvents } from '../events/page-events.ts';
import type { DesktopEvent } from '../wire/events.ts';
import type { Activity, NewEntry } from './open-activity.ts';

const callOf = (event: Extract<DesktopEvent, { type: 'call-log' }>): NewEntry => {
  const { at, appId, tool, asker, ms, outcome, detail } = event;
  return { at, appId, kind: 'tool', name: tool, asker, ms, outcome, detail };
};

/** What became of an account, as the outcome of an entry. */
const OUTCOMES = {
  'account-connected': 'connected',
  'account-disconnected': 'disconnected',
  'account-dropped': 'dropped',
} as const;

type OfAccount = Extract<RuntimeEvent, { type: keyof typeof OUTCOMES }>;

const isOfAccount = (event: RuntimeEvent): event is OfAccount => Object.hasOwn(OUTCOMES, event.type);

const accountOf = ({ type, appId, accountId }: OfAccount, at: string): NewEntry => ({
  ...{ at, appId, kind: 'account', name: accountId, asker: null, ms: null },
  ...{ outcome: OUTCOMES[type], detail: '' },
});

/**
 * Has what is told of calls and accounts put on record, and what an app did forgotten with the app.
 * @returns what ends that
 */
export function keepActivity(
  activity: Pick<Activity, 'add' | 'clear'>,
  { events, now }: { events: PageEvents; now(): Date },
): () => void {
  /** Apps that were removed: a call that they had under way ends after them, and leaves nothing behind either. */
  const removed = new Set<string>();

  function hear(event: RuntimeEvent): void {
    if (event.type === 'app-removed') {
      removed.add(event.appId);
      activity.clear(event.appId);
    } else if (event.type === 'app-installed') removed.delete(event.appId);
    else if (event.type === 'developer-app-changed' && event.appId !== null) removed.delete(event.appId);
    else if (isOfAccount(event) && !removed.has(event.appId))
      activity.add(accountOf(event, now().toISOString()));
  }

  return events.listen(null, (event) => {
    if (event.type === 'runtime') hear(event.event);
    else if (event.type === 'call-log' && event.outcome !== 'not-installed' && !removed.has(event.appId))
      activity.add(callOf(event));
  });
}
