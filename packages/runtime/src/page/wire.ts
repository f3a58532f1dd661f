import type { Card } from '../cards/card.ts';
import type { CloseReason } from '../panels/bridge/messages.ts';

// The messages between a page server and its pages. Types only: one end runs in a browser.

/** A card as a page receives it, as JSON. */
export type PageCard = Card;

/** A panel that a page may show. */
export type ShownPanel = {
  id: string;
  frame: { address: string; origin: string; sandbox: string; title: string };
};

/** An event from the server to a page. */
export type PageEvent =
  /** The first event of each stream; panels belong to the stream that opened them. */
  | { type: 'opened'; session: string }
  | { type: 'card'; id: string; card: PageCard }
  /** The card was answered, here or elsewhere, or is no longer needed. */
  | { type: 'card-gone'; id: string }
  | { type: 'panel-message'; panel: string; text: string }
  | { type: 'panel-closed'; panel: string; reason: CloseReason };
