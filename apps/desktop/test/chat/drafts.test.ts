import { expect, it, vi } from 'vitest';
import { createDraft } from '../../src/chat/drafts.ts';
import type { ChatMessage } from '../../src/wire/chat.ts';

it('goes on when the disk is full, and writes the next change', async () => {
  const faults: unknown[] = [];
  const full = new Error('database or disk is full');
  const write = vi.fn((): void => {
    throw full;
  });
  const draft = createDraft({
    chat: 'a',
    message: { id: 1, parts: [] } as unknown as ChatMessage,
    conversations: { write },
    events: { emit: () => {} },
    nextRev: () => 1,
    onFault: (error) => faults.push(error),
  });
  await expect.poll(() => faults).toEqual([full]);
  write.mockImplementation(() => {});
  draft.append('text', 0, 'more');
  await expect.poll(() => write.mock.calls.length).toBe(2);
  draft.end('done', null);
  expect(write).toHaveBeenCalledTimes(3);
});
