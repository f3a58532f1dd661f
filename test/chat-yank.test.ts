import { lastResults, type ModelRequest } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { expect, it } from 'vitest';
import { agree, approvalsIn, callsOf, openChat, textOf } from '../apps/desktop/test/support/chat-desktop.ts';
import { CLEAR, openWorld, TOOLS } from './support/gateway-world.ts';

/** A model that calls one tool, and then ends its answer. */
const callOnce = (request: ModelRequest) =>
  lastResults(request).length > 0 ? { text: ['done'] } : { calls: [{ name: CLEAR, arguments: {} }] };

const YANKED_AT = '2026-02-01T00:00:00.000Z';

/** A conversation with an app whose server never responds. */
async function openYankable() {
  const world = await openWorld({
    server: { tools: TOOLS },
    play: () => new Promise<never>(() => undefined),
  });
  const [project] = world.desktop.settings.projects();
  const chat = await openChat(world, callOnce, { project: project?.id ?? '' });
  const heard = await chat.page.listen();
  const yank = async () => {
    world.store.yank(YANKED_AT, '1.0.0');
    await world.runtime.revocations.check();
  };
  return { ...world, ...chat, heard, yank };
}

it('cancels a running call when its app is yanked, and continues the answer', async () => {
  const { page, heard, say, mcp, yank, model } = await openYankable();
  const saying = say('Clear it');
  await agree({ page, heard });
  await eventually(() => expect(mcp.headersOf('tools/call')).toHaveLength(1));
  await yank();
  const answer = await saying;
  expect([answer.status, textOf(answer)]).toEqual(['done', 'done']);
  expect(callsOf(answer)).toMatchObject([{ state: 'refused', code: 'yanked', until: null }]);
  // The model receives the error, and is not offered the app again.
  const last = model.requests.at(-1) as ModelRequest;
  expect(JSON.parse(lastResults(last)[0] ?? '')).toMatchObject({ failed: true, code: 'yanked' });
  expect(last.tools ?? []).toEqual([]);
});

it('closes the card of a call when its app is yanked', async () => {
  const { page, heard, say, mcp, yank } = await openYankable();
  const saying = say('Clear it');
  await eventually(() => expect(approvalsIn(heard)).toHaveLength(1));
  await yank();
  const answer = await saying;
  const [card] = approvalsIn(heard);
  expect(callsOf(answer)).toMatchObject([
    { state: 'refused', code: 'yanked', cards: [{ id: card?.id, state: 'gone' }] },
  ]);
  const yes = { accepted: true, binding: card?.card.binding ?? '' } as const;
  expect((await page.call('cards.answer', { cardId: card?.id ?? '', answer: yes })).status).toBe(404);
  expect(mcp.headersOf('tools/call')).toEqual([]);
});
