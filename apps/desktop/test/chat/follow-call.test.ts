import { expect, it } from 'vitest';
import { createPromptQueue } from '../../src/cards/prompt-queue.ts';
import { followCall } from '../../src/chat/follow-call.ts';
import type { Desktop } from '../../src/desktop.ts';

it('starts the time limit again at each progress, up to ten minutes', () => {
  let clock = 0;
  const prompts = createPromptQueue({ now: () => new Date(clock), newId: () => 'id' });
  const runtime = { events: { subscribe: () => () => undefined } };
  const shown: (string | null | undefined)[] = [];
  const desktop = { prompts, runtime } as unknown as Desktop;
  const following = followCall({ desktop, now: () => clock }, 'chat', ({ until }) => shown.push(until));
  const left = () => (Date.parse(shown.at(-1) ?? '') - clock) / 1_000;
  following.begin();
  expect(left()).toBe(120);
  clock = 100_000;
  following.progressed();
  expect(left()).toBe(120);
  clock = 550_000;
  following.progressed();
  expect(left()).toBe(50);
  following.stop();
});
