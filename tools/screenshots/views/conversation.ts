import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Card } from '@svc/runtime';
import type { Page, Route } from 'playwright-core';
import type { ChatCall, ChatFile, ChatMessage, ChatPart } from '../../../apps/desktop/src/wire/chat.ts';
import { call, message, text } from '../../../apps/desktop/test/page/support/sample-chats.ts';
import { CARDS, waiting } from '../../../apps/desktop/test/page/support/sample-data.ts';
import type { View } from '../view.ts';

/** The app whose servers run in the demo, and the conversation that its desktop begins with. */
export const APP = 'com.example.pinboard';
const CHAT = 'start';

const ASSETS = join(import.meta.dirname, '../../../examples/pinboard/app/assets');
const BOARD = readFileSync(join(ASSETS, 'board-light.png'));

const OF_APP = { appId: APP, app: 'Pinboard' };
const CARD_APP = { appId: APP, name: 'Pinboard', version: '1.0.0', publisher: 'example' };

const picture = (id: string, name: string, appId: string | null = null): ChatFile => ({
  ...{ id, name, type: 'image/png', bytes: BOARD.length, appId },
});

/** Answers a call of the page with what a change makes of the answer of the desktop. */
export const changeAnswer = (
  page: Page,
  name: string,
  change: (answer: object) => object,
): Promise<unknown> =>
  page.route(`**/api/${name}`, async (route: Route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: change((await response.json()) as object) });
  });

const RUNNING = { state: 'running', text: '', ms: null } as const;

/** A call that works since three seconds. */
const running = (id: string, tool: string, more: Partial<ChatCall> = {}): ChatPart =>
  call({ ...OF_APP, ...RUNNING, id, tool, since: new Date(Date.now() - 3_000).toISOString(), ...more });

const ended = (id: string, tool: string, more: Partial<ChatCall>): ChatPart =>
  call({ ...OF_APP, id, tool, ...more });

/** A call of an app that is not installed any more. */
const ofOther = (id: string, app: string, tool: string, more: Partial<ChatCall>): ChatPart =>
  call({ appId: 'com.example.other', app, id, tool, state: 'refused', ms: null, ...more });

const ANSWER = `Two of your six pins are about the **cabin**; the others are notes.

| pin | pinned | size |
|---|---|---|
| Lamp over the table | 22 November | |
| The view from the cabin | 22 November | 1600 × 1000 |

Next I would:

1. pin the two new pictures,
2. draw a contact sheet for \`cabin.pdf\`.`;

/** A question and its answer: a row for each way in which a call ends. */
const PAST: readonly ChatMessage[] = [
  message(1, 'user', [
    { type: 'file', file: picture('lake', 'lake.png'), shown: false },
    text('What is on my board, and which trains reach the cabin on Friday?'),
  ]),
  message(2, 'assistant', [
    { type: 'reasoning', step: 0, text: 'First the board, then the trains.' },
    ended('a', 'List pins', {
      ms: 917,
      text: '6 pins',
      structured: { pins: 6 },
      arguments: { kind: 'picture' },
    }),
    ended('b', 'Draw a contact sheet', {
      ms: 2_410,
      waitedMs: 121_200,
      text: '1 picture',
      arguments: { columns: 3 },
    }),
    ofOther('c', 'Layover', 'Find trains', {
      state: 'failed',
      text: 'The timetable of 27 November is not published yet. Ask for a day before it.',
    }),
    ofOther('d', 'Kanban for Small Teams and Large Plans', 'Move a card', {
      code: 'unreachable',
      text: 'mcp.kanban.example.com did not answer within 30 seconds.',
    }),
    ofOther('e', 'Mailroom', 'Send the letter', { code: 'declined', text: 'The user declined.' }),
    ofOther('f', 'Interpreter', 'Translate', { code: 'interrupted', text: 'svc desktop quit.' }),
    ofOther('g', 'Σημειώσεις', 'Αναζήτηση σημειώσεων', { code: 'stopped', text: 'The user stopped it.' }),
    text(ANSWER),
    { type: 'usage', step: 0, input: 1_204, output: 148 },
  ]),
];

const asked = (parts: readonly ChatPart[]): readonly ChatMessage[] => [
  message(3, 'user', [
    { type: 'file', file: picture('hill', 'hill.png'), shown: false },
    text('pin these two pictures to my board'),
  ]),
  message(4, 'assistant', parts, { status: 'running' }),
];

const APPROVAL: Card = {
  ...CARDS.approval,
  app: CARD_APP,
  tool: { id: 'pin_pictures', name: 'Pin pictures' },
  server: 'localhost:4680',
  account: { id: 'pinboard', label: 'Pinboard' },
  title: 'Pin 2 pictures?',
  html: '<p>They are sent to the server of Pinboard, without the place and the camera they were taken with.</p>',
  action: 'Pin',
  arguments: { text: 'The view from the cabin' },
  files: ['lake', 'hill'].map((name) => ({
    ...{ name: `${name}.png`, type: 'image/png', bytes: BOARD.length, sha256: 'ab'.repeat(32) },
    was: { name: `${name}.heic`, type: 'image/heic', bytes: 4_194_304 },
  })),
};

const plain = (
  name: string,
  effect: 'reads' | 'changes' | 'destroys',
  args: Record<string, unknown>,
): Card => ({
  ...APPROVAL,
  tool: { id: name.toLowerCase().replaceAll(' ', '_'), name },
  ...{ title: `Run ${name}?`, html: '', action: 'Allow', arguments: args, files: [], effect },
  ...({ wordsOf: 'client', mayAllowInChat: true } as const),
});

type Asked = { id: string; tool: string; card: Card };

const own = (card: Card): Card => ({ ...card, app: CARD_APP }) as Card;

const CONNECT: Card = {
  ...CARDS.connect,
  ...{ app: CARD_APP, host: 'accounts.pinboard.example.com' },
  permissions: ['Sees, adds and removes what is on the board of the account you connect.'],
  account: { id: 'pinboard', label: 'Pinboard', scopes: ['board'] },
};

/** What is shown: messages, and the cards of the last one that wait. */
type Scene = { messages: readonly ChatMessage[]; cards: readonly Asked[]; isSigningIn?: boolean };

/** An answer whose last call waits for these cards. */
const waitsFor = (...cards: readonly Asked[]): Scene => ({
  messages: [
    ...PAST,
    ...asked(
      cards.map(({ id, tool, card }) =>
        running(`call-${id}`, tool, { cards: [{ id, card, state: 'waiting' }], since: undefined }),
      ),
    ),
  ],
  cards,
});

const pin: Asked = { id: 'pin', tool: 'Pin pictures', card: APPROVAL };

/** Each state that the row of a call can have: those of ended calls, and of an answer that is still written. */
const EVERY_ROW: Scene = {
  messages: [
    ...PAST,
    ...asked([
      running('run', 'Search pins', { until: new Date(Date.now() + 57_000).toISOString() }),
      running('sign', 'List pins', { since: undefined }),
      running('pin-call', 'Pin pictures', {
        cards: [{ id: 'pin', card: APPROVAL, state: 'waiting' }],
        since: undefined,
      }),
    ]),
  ],
  cards: [pin],
  isSigningIn: true,
};

/** Opens a conversation with these messages, cards and sign-ins, in place of those of the desktop. */
async function play(page: Page, { messages, cards, isSigningIn }: Scene): Promise<void> {
  await changeAnswer(page, 'chats.open', (answer) => ({ ...answer, messages, more: false }));
  await changeAnswer(page, 'client.show', (answer) => ({
    ...answer,
    cards: cards.map(({ id, card }) => ({ ...waiting(id, card), chat: CHAT })),
  }));
  if (isSigningIn)
    await page.route('**/api/accounts.signIns', (route) =>
      route.fulfill({
        json: { signIns: [{ ...OF_APP, accountId: 'pinboard', label: 'Pinboard', digits: '417' }] },
      }),
    );
  await page.route(/\/(?:attachments|card-files)\//, (route) =>
    route.fulfill({ contentType: 'image/png', body: BOARD }),
  );
  await page.reload();
  await page
    .getByRole('article')
    .nth(messages.length - 1)
    .waitFor();
  if (cards.length > 0) await page.locator('.inline-card [aria-disabled="false"]').first().waitFor();
}

const scene = (name: string, state: View['state'], of: Scene, more: Partial<View> = {}): View => ({
  ...{ name, routes: [], state, world: 'desktop', path: `#/chat/${CHAT}`, ready: 'h1, h2' },
  act: (page) => play(page, of),
  ...more,
});

const TOGETHER = waitsFor(
  { id: 'one', tool: 'Search pins', card: plain('Search pins', 'reads', { words: 'cabin' }) },
  {
    id: 'two',
    tool: 'Pin a note',
    card: plain('Pin a note', 'changes', { text: 'Lamp over the table: 60 cm above it, warm light.' }),
  },
  { id: 'three', tool: 'Remove a pin', card: plain('Remove a pin', 'destroys', { id: 'pin-17' }) },
);

/** A conversation with apps: each state of a call, and each kind of card in it. */
export const CONVERSATION_VIEWS: readonly View[] = [
  // As high as its thread, so that each row is in the picture.
  scene('desktop-chat', 'full', EVERY_ROW, { height: 2_500 }),
  scene('desktop-chat-answer', 'usual', { messages: PAST, cards: [] }),
  scene('desktop-chat-approval', 'usual', waitsFor(pin)),
  scene('desktop-chat-connect', 'usual', waitsFor({ id: 'connect', tool: 'List pins', card: CONNECT })),
  scene(
    'desktop-chat-question',
    'usual',
    waitsFor({ id: 'question', tool: 'Pin a note', card: own(CARDS.question) }),
  ),
  scene('desktop-chat-calls', 'usual', TOGETHER),
  scene('desktop-chat-panel', 'usual', waitsFor(pin), {
    act: async (page) => {
      await play(page, { messages: PAST, cards: [] });
      await page.getByRole('button', { name: 'Open Board' }).first().click();
      await page.locator('.thread').evaluate((thread) => thread.scrollTo(0, thread.scrollHeight));
      await page.frameLocator('.dock iframe').frameLocator('iframe').getByRole('button').first().waitFor();
    },
  }),
];
