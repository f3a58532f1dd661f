import { describe, expect, it } from 'vitest';
import { createCardLimit, limitedAsk } from '../../src/cards/card-limit.ts';
import type { Answer, Ask, Card } from '../../src/index.ts';
import { orAborted } from '../../src/parts.ts';

const CARD = { kind: 'question' } as Card;
const NEVER = new AbortController().signal;

/** A client that shows every card at once, and takes it back when its signal says so. */
function openQueue() {
  const waiting: ((answer: Answer) => void)[] = [];
  const shown: Ask = (_card, signal) => {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    waiting.push(resolve);
    return orAborted(signal, promise).finally(() => waiting.splice(waiting.indexOf(resolve), 1));
  };
  // Two of these, as a panel asks through that of the panels and that of the calls.
  return { waiting, ask: limitedAsk(limitedAsk(shown)) };
}

describe('the cards of a page', () => {
  it('end with the third that the user declines: those that wait, and all later ones', async () => {
    const { waiting, ask } = openQueue();
    const page = createCardLimit();
    const other = createCardLimit();
    const asked = Array.from({ length: 9 }, () => page.within(() => ask(CARD, NEVER)));
    const ofOther = other.within(() => ask(CARD, NEVER));
    const ofChat = ask(CARD, NEVER);
    expect(waiting).toHaveLength(11);
    for (let n = 0; n < 3; n += 1) {
      expect(page.isOver()).toBe(false);
      waiting[0]?.({ accepted: false });
      await asked[n];
    }
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 9 }, () => ({ accepted: false })));
    expect(waiting).toHaveLength(2);
    expect(await page.within(async () => ask(CARD, NEVER))).toEqual({ accepted: false });
    expect(waiting).toHaveLength(2);
    for (const answer of [...waiting]) answer({ accepted: true });
    expect([await ofOther, await ofChat, other.isOver()]).toEqual([
      { accepted: true },
      { accepted: true },
      false,
    ]);
  });

  it('go away with who asked, which is no answer of the user', async () => {
    const { waiting, ask } = openQueue();
    const page = createCardLimit();
    for (let n = 0; n < 4; n += 1) {
      const gone = new AbortController();
      const asked = page.within(() => ask(CARD, gone.signal));
      gone.abort(new Error('gone'));
      await expect(asked).rejects.toThrow('gone');
    }
    expect(waiting).toEqual([]);
    expect(page.isOver()).toBe(false);
  });
});
