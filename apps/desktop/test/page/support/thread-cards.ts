import { CARDS, waiting } from './sample-data.ts';

/** An approval that the user may allow for the chat. */
export const plain = { ...CARDS.approval, files: [], mayAllowInChat: true } as const;

/** A card that waits in the chat. */
export const inChat = (id: string, card: Parameters<typeof waiting>[1] = plain) => ({
  ...waiting(id, card),
  chat: 'c1',
});
