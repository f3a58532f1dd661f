import type { Card } from '../cards/card.ts';
import type { CloseReason } from '../panels/bridge/messages.ts';

// What a page server and its pages say to each other. Types alone: one end runs in a browser.

/** A card as a page gets it: the same, as JSON. */
export type PageCard = Card;

/** A panel that a page may show. */
export type ShownPanel = {
  id: string;
  frame: { address: string; origin: string; sandbox: string; title: string };
};

/** What the server tells a page. */
export type PageEvent =
  /** First of each stream; panels belong to the stream that opened them. */
  | { type: 'opened'; session: string }
  | { type: 'card'; id: string; card: PageCard }
  /** It was answered, here or elsewhere, or nobody waits for it any more. */
  | { type: 'card-gone'; id: string }
  | { type: 'panel-message'; panel: string; text: string }
  | { type: 'panel-closed'; panel: string; reason: CloseReason };
