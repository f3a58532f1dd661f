import type { ChatCall, ChatMessage, ChatPart, ChatView, ModelFault } from '../../../src/wire/chat.ts';
import type { Answers } from './fake-desktop.ts';
import { HOSTILE } from './sample-data.ts';

const AT = '2026-03-01T10:00:00.000Z';
const MODEL = { provider: 'local', model: 'small-model' };

export const CHAT: ChatView = {
  ...{ id: 'c1', project: 'p1', title: 'Plan the garden', model: MODEL, off: [], at: AT, running: false },
};

/** A message of a conversation. */
export const message = (
  id: number,
  role: ChatMessage['role'],
  parts: readonly ChatPart[],
  more: Partial<ChatMessage> = {},
): ChatMessage => ({
  ...{ id, parent: id > 1 ? id - 1 : null, role, parts, status: 'done', fault: null, model: MODEL.model },
  ...{ at: AT, branches: [id] },
  ...more,
});

export const text = (said: string): ChatPart => ({ type: 'text', step: 0, text: said });

/** A call of an app in an answer. */
export const call = (more: Partial<ChatCall> = {}): ChatPart => ({
  type: 'call',
  step: 0,
  call: {
    ...{ id: 'call-1', name: 'com_example_notes__add_note', appId: 'com.example.notes', app: 'Field Notes' },
    ...{ tool: 'Add a note', arguments: { title: 'Leaf' }, state: 'answered', text: 'Added.', code: null },
    ...{ files: [], ms: 420, until: null, cards: [] },
    ...more,
  },
});

/** An answer that failed. */
export const failed = (code: ModelFault, said: string): ChatMessage =>
  message(2, 'assistant', [], { status: 'failed', fault: { code, message: said } });

/** A conversation whose answer has a part of each usual kind. */
export const MESSAGES: readonly ChatMessage[] = [
  message(1, 'user', [text('Which leaf is this?')]),
  message(2, 'assistant', [
    { type: 'notice', code: 'trimmed' },
    { type: 'notice', code: 'no-tools' },
    { type: 'reasoning', step: 0, text: 'It has five lobes.' },
    call(),
    call({
      id: 'call-2',
      tool: 'Send',
      state: 'refused',
      code: 'yanked',
      text: 'This version was yanked.',
    }),
    { type: 'usage', step: 0, input: 1_200, output: 30 },
    { type: 'text', step: 1, text: 'A **maple**.' },
    { type: 'usage', step: 1, input: 4, output: 4 },
  ]),
];

/** The responses of a desktop with conversations. */
export const chatAnswers = (): Answers => ({
  'chats.list': ({ q = '' }) => {
    const chats = [CHAT, { ...CHAT, id: 'c2', title: HOSTILE }];
    // The desktop also searches the messages.
    return { chats: q === 'maple' ? [CHAT] : chats.filter(({ title }) => title.includes(q)) };
  },
  'chats.open': ({ chat }) => ({ chat: { ...CHAT, id: chat }, messages: [...MESSAGES], more: false, rev: 0 }),
  'chats.create': () => ({ chat: CHAT }),
  'chats.change': () => ({ chat: CHAT }),
  'chats.send': () => ({ message: 3 }),
  'chats.draft': () => ({ draft: { text: '', files: [] } }),
  'chats.saveDraft': () => ({}),
  'chats.stop': () => ({}),
  'chats.stopCall': () => ({}),
  'chats.export': () => ({ name: 'Plan the garden.md', markdown: '# Plan the garden' }),
  'chats.prompt': () => ({ text: '' }),
  'models.list': () => ({
    providers: [
      {
        id: 'local',
        name: 'Local',
        baseUrl: 'http://127.0.0.1:1/v1',
        hasKey: false,
        models: ['small-model', 'large-model'],
      },
    ],
    default: MODEL,
  }),
  'models.detect': () => ({ found: [] }),
  'models.choose': () => ({}),
});
