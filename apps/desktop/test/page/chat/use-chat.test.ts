import { describe, expect, it } from 'vitest';
import { afterEvent, withEarlier } from '../../../page/src/chat/use-chat.ts';
import type { ChatMessage } from '../../../src/wire/chat.ts';

const message = (id: number, parent: number | null, text: string): ChatMessage => ({
  ...{ id, parent, role: 'assistant', status: 'running', fault: null, model: 'm', at: '', branches: [id] },
  parts: text === '' ? [] : [{ type: 'text', step: 0, text }],
});

const shown = { messages: [message(1, null, 'a'), message(2, 1, 'b')], rev: 5 };
const text = (rev: number, id: number, part: number) =>
  ({ type: 'chat-text', chat: 'c', rev, message: id, part, text: '+' }) as const;

describe('afterEvent', () => {
  it('ignores an event that is already applied, and applies a new one once', () => {
    expect(afterEvent(shown, text(5, 2, 0))).toBe(shown);
    const next = afterEvent(shown, text(6, 2, 0));
    expect(next?.messages[1]?.parts).toEqual([{ type: 'text', step: 0, text: 'b+' }]);
    expect(next && afterEvent(next, text(6, 2, 0))).toBe(next);
  });

  it('appends a new message only after the last one', () => {
    const added = message(3, 2, '');
    const event = { type: 'chat-message', chat: 'c', rev: 6, message: added } as const;
    expect(afterEvent(shown, event)?.messages.at(-1)).toBe(added);
    const other = { ...event, message: message(3, 1, '') };
    expect(afterEvent(shown, other)?.messages).toEqual(shown.messages);
  });

  it('returns null when the text belongs to a part that it does not have', () => {
    expect(afterEvent(shown, text(6, 2, 1))).toBeNull();
  });
});

it('keeps earlier messages that were loaded, unless they belong to another branch', () => {
  const before = {
    messages: [message(1, null, ''), message(2, 1, ''), message(3, 2, '')],
    rev: 1,
    more: true,
  };
  const fresh = { messages: [message(2, 1, ''), message(4, 2, '')], rev: 2, more: true };
  expect(withEarlier(fresh, before).messages.map(({ id }) => id)).toEqual([1, 2, 4]);
  // Unchanged messages keep their identity, so that they are not rendered again.
  const same = withEarlier(fresh, { ...before, messages: [message(2, 1, ''), message(3, 2, '')] });
  expect(
    withEarlier(structuredClone(fresh), fresh).messages.map((one, at) => one === fresh.messages[at]),
  ).toEqual([true, true]);
  expect(same.messages.map(({ id }) => id)).toEqual([2, 4]);
  const changed = { ...fresh, messages: [message(2, 1, 'x'), message(4, 2, '')] };
  expect(withEarlier(changed, fresh).messages).toEqual(changed.messages);
  const other = { ...fresh, messages: [message(9, 1, '')] };
  expect(withEarlier(other, before)).toBe(other);
});
