import { readEvents } from '@svc/runtime/page';
import type { DesktopEvent } from '../../../src/wire/events.ts';
import type { WaitingCard } from '../../../src/wire/views.ts';
import { type DesktopClient, RefusedError } from './desktop-client.ts';

export type FilePick = Extract<DesktopEvent, { type: 'pick-files' }>;

/** State of the page that follows the event stream. */
export type LiveState = {
  connection: 'connecting' | 'open' | 'lost';
  /** Time of the next connection attempt, in milliseconds since the epoch; null during one. */
  retryAt: number | null;
  /** How often the stream was opened. After each time, queries must be refetched: events in between were missed. */
  opened: number;
  cards: readonly WaitingCard[];
  picks: readonly FilePick[];
};

const FIRST: LiveState = {
  connection: 'connecting',
  retryAt: null,
  opened: 0,
  cards: [],
  picks: [],
};

/** Longest wait between two attempts, in milliseconds. */
const MAX_WAIT = 15_000;

/** Exponential backoff with jitter before an attempt, in milliseconds. */
export const backoff = (attempts: number, random: number): number =>
  Math.min(MAX_WAIT, 500 * 2 ** Math.min(attempts, 10)) * (0.75 + random / 4);

function reduce(state: LiveState, event: DesktopEvent): LiveState {
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

/** Creates the live state, which follows the event stream and survives lost connections. */
export function createLive(desktop: Pick<DesktopClient, 'request' | 'events'>) {
  const subscribers = new Set<() => void>();
  const listeners = new Set<(event: DesktopEvent) => void>();
  /** Ids of cards answered on this page. A `card` event sent before the answer arrived must not show the card again. */
  const answeredIds = new Set<string>();
  let state = FIRST;
  let wake = () => {};

  function change(changes: Partial<LiveState>): void {
    state = { ...state, ...changes };
    for (const onChange of subscribers) onChange();
  }
  function receive(event: DesktopEvent): void {
    if (event.type === 'card' && answeredIds.has(event.card.id)) return;
    const next = reduce(state, event);
    // `chat-text` events come hundreds of times a second and do not change this state.
    if (next !== state) change(next);
    for (const listener of listeners) listener(event);
  }
  async function follow(signal: AbortSignal): Promise<void> {
    const stream = await desktop.events(signal);
    // After the stream is open, so that no card is missed: one created in between is in both.
    const { cards } = await desktop.request('client.show', {}, signal);
    const opened = state.opened + 1;
    const waiting = cards.filter(({ id }) => !answeredIds.has(id));
    change({ connection: 'open', retryAt: null, opened, cards: waiting, picks: [] });
    for await (const event of readEvents(stream)) receive(event as DesktopEvent);
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

  /** Follows the stream until it ends. @returns whether to reconnect */
  async function followOnce(signal: AbortSignal): Promise<boolean> {
    try {
      await follow(signal);
    } catch (error) {
      // Any other error, such as a stream that breaks, may be temporary.
      return !(error instanceof RefusedError && error.code === 'unauthorized');
    }
    return true;
  }

  return {
    subscribe(onChange: () => void): () => void {
      subscribers.add(onChange);
      return () => subscribers.delete(onChange);
    },
    state: () => state,
    /** Adds a listener for all events. @returns a function that removes it */
    listen(listener: (event: DesktopEvent) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Removes a card that was answered on this page, before the desktop sends `card-gone`. */
    answered(cardId: string) {
      answeredIds.add(cardId);
      change({ cards: state.cards.filter(({ id }) => id !== cardId) });
    },
    picked: (pickId: string) => change({ picks: state.picks.filter((pick) => pick.pickId !== pickId) }),
    /** Reconnects immediately. */
    retry: () => wake(),
    /** Connects, and reconnects until the signal is aborted or the session is refused. */
    async run(signal: AbortSignal) {
      let attempts = 0;
      while (!signal.aborted) {
        const before = state.opened;
        if (!(await followOnce(signal)) || signal.aborted) return;
        attempts = state.opened > before ? 0 : attempts + 1;
        const wait = backoff(attempts, Math.random());
        change({ connection: 'lost', retryAt: Date.now() + wait });
        await pause(wait, signal);
        change({ retryAt: null });
      }
    },
  };
}

export type Live = ReturnType<typeof createLive>;
