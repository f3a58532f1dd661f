import { readEvents } from '@svc/runtime/page';
import type { DesktopEvent } from '../../../src/wire/events.ts';
import type { WaitingCard } from '../../../src/wire/views.ts';
import { type Desk, RefusedError } from './ask.ts';

export type FilePick = Extract<DesktopEvent, { type: 'pick-files' }>;

/** What the page knows of the desktop as it happens. */
export type LiveState = {
  connection: 'connecting' | 'open' | 'lost';
  /** When it is tried again, in milliseconds since the epoch; null while it is being tried. */
  retryAt: number | null;
  /** How often the stream was opened: what was missed in between must be asked for again. */
  opened: number;
  cards: readonly WaitingCard[];
  picks: readonly FilePick[];
};

export type Live = {
  subscribe(changed: () => void): () => void;
  state(): LiveState;
  /** Hears every event. @returns what ends the hearing */
  hear(listener: (event: DesktopEvent) => void): () => void;
  /** Takes a card out that was answered here, before the desktop says that it is gone. */
  answered(cardId: string): void;
  picked(pickId: string): void;
  /** Tries again now. */
  retry(): void;
  /** Connects, and goes on connecting until the signal is aborted or the session is refused. */
  run(signal: AbortSignal): Promise<void>;
};

const FIRST: LiveState = {
  connection: 'connecting',
  retryAt: null,
  opened: 0,
  cards: [],
  picks: [],
};

/** Longest wait between two tries, in milliseconds. */
const MAX_WAIT = 15_000;

/** How long to wait before a try, in milliseconds: doubled each time, and a part of it by chance, so that tabs do not ask in step. */
export const backoff = (tries: number, random: number): number =>
  Math.min(MAX_WAIT, 500 * 2 ** Math.min(tries, 10)) * (0.75 + random / 4);

/** What an event changes in what is shown. */
function after(state: LiveState, event: DesktopEvent): LiveState {
  switch (event.type) {
    case 'card':
      return { ...state, cards: [...state.cards.filter(({ id }) => id !== event.card.id), event.card] };
    case 'card-gone':
      return { ...state, cards: state.cards.filter(({ id }) => id !== event.cardId) };
    case 'pick-files':
      return { ...state, picks: [...state.picks.filter(({ pickId }) => pickId !== event.pickId), event] };
    case 'pick-gone':
      return { ...state, picks: state.picks.filter(({ pickId }) => pickId !== event.pickId) };
    default:
      return state;
  }
}

/** Follows what the desktop tells, through losses of the connection. */
export function createLive(desk: Pick<Desk, 'ask' | 'events'>): Live {
  const subscribers = new Set<() => void>();
  const listeners = new Set<(event: DesktopEvent) => void>();
  /** Cards answered here: an event that crosses the answer must not ask twice. */
  const done = new Set<string>();
  let state = FIRST;
  let wake = () => {};

  function change(changes: Partial<LiveState>): void {
    state = { ...state, ...changes };
    for (const changed of subscribers) changed();
  }
  function take(event: DesktopEvent): void {
    if (event.type === 'card' && done.has(event.card.id)) return;
    const next = after(state, event);
    // Text of a model comes hundreds of times a second, and changes nothing here.
    if (next !== state) change(next);
    for (const listener of listeners) listener(event);
  }
  async function follow(signal: AbortSignal): Promise<void> {
    const stream = await desk.events(signal);
    // Only now: a card that comes up between the two is in both, and one that comes before is in the answer.
    const { cards } = await desk.ask('client.show', {}, signal);
    const opened = state.opened + 1;
    const waiting = cards.filter(({ id }) => !done.has(id));
    change({ connection: 'open', retryAt: null, opened, cards: waiting, picks: [] });
    for await (const event of readEvents(stream)) take(event as DesktopEvent);
  }
  function pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
      signal.addEventListener('abort', wake, { once: true });
    });
  }

  /** Follows until the stream ends. @returns whether it is worth another try */
  async function followOnce(signal: AbortSignal): Promise<boolean> {
    try {
      await follow(signal);
    } catch (error) {
      // Whatever else went wrong, a stream that breaks in the middle too, may be well the next time.
      return !(error instanceof RefusedError && error.code === 'unauthorized');
    }
    return true;
  }

  return {
    subscribe(changed) {
      subscribers.add(changed);
      return () => subscribers.delete(changed);
    },
    state: () => state,
    hear(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    answered(cardId) {
      done.add(cardId);
      change({ cards: state.cards.filter(({ id }) => id !== cardId) });
    },
    picked: (pickId) => change({ picks: state.picks.filter((pick) => pick.pickId !== pickId) }),
    retry: () => wake(),
    async run(signal) {
      let tries = 0;
      while (!signal.aborted) {
        const before = state.opened;
        if (!(await followOnce(signal)) || signal.aborted) return;
        tries = state.opened > before ? 0 : tries + 1;
        const wait = backoff(tries, Math.random());
        change({ connection: 'lost', retryAt: Date.now() + wait });
        await pause(wait, signal);
        change({ retryAt: null });
      }
    },
  };
}
