import { packBundle } from '@svc/bundle';
import { describe, expect, it } from 'vitest';
import { readConversations } from '../../../src/chat/transfer/read-conversations.ts';
import { openChatDesktop, textOf } from '../../support/chat-desktop.ts';

const said = (role: string, parts: unknown[], more: object = {}) => ({
  ...{
    author: { role },
    content: { content_type: 'text', parts },
    create_time: 1_700_000_000.5,
    metadata: {},
  },
  ...more,
});

/** As ChatGPT exports it: a tree by id, with hidden messages, tools, thoughts and pictures. */
const CHATGPT = [
  {
    ...{
      conversation_id: 'g1',
      title: 'Leaves\u202e',
      create_time: 1_700_000_000,
      update_time: 1_700_000_100,
      current_node: 'd',
    },
    mapping: {
      root: { id: 'root', message: null, parent: null, children: ['s'] },
      s: { id: 's', message: said('system', ['']), parent: 'root', children: ['a'] },
      a: {
        id: 'a',
        message: said('user', ['Which leaf?', { content_type: 'image_asset_pointer' }]),
        parent: 's',
        children: ['t', 'b'],
      },
      b: {
        id: 'b',
        message: said('assistant', ['A maple.'], { metadata: { model_slug: 'gpt-4o' } }),
        parent: 'a',
        children: [],
      },
      t: { id: 't', message: said('tool', ['secret']), parent: 'a', children: ['d'] },
      d: { id: 'd', message: said('assistant', ['An <b>oak</b>.']), parent: 't', children: [] },
    },
  },
  { conversation_id: 'g2', title: 'Nothing', mapping: {} },
  'broken',
];

const CLAUDE = [
  {
    ...{
      uuid: 'c1',
      name: 'Soup',
      created_at: '2025-01-01T10:00:00Z',
      updated_at: '2025-01-02T10:00:00+02:00',
    },
    chat_messages: [
      {
        uuid: 'm1',
        sender: 'human',
        text: 'Hi',
        content: [{ type: 'text', text: 'Hi' }],
        attachments: [{ file_name: 'a.txt' }],
      },
      {
        uuid: 'm2',
        sender: 'assistant',
        text: '',
        content: [
          { type: 'thinking', thinking: 'x' },
          { type: 'text', text: 'Hello' },
        ],
      },
    ],
  },
];

const LIBRECHAT = {
  ...{ conversationId: 'l1', title: 'Rain', exportAt: 'Wed Jan 01 2025 10:00:00 GMT+0000', recursive: true },
  messages: [
    {
      ...{
        messageId: '1',
        parentMessageId: '00000000-0000-0000-0000-000000000000',
        text: 'Rain?',
        isCreatedByUser: true,
      },
      children: [
        {
          messageId: '2',
          parentMessageId: '1',
          text: '',
          content: [{ type: 'text', text: { value: 'Yes.' } }],
          sender: 'GPT-4',
        },
      ],
    },
  ],
};

const upload = async (
  page: Awaited<ReturnType<typeof openChatDesktop>>['page'],
  name: string,
  bytes: Uint8Array | string,
) => ((await page.upload(name, Buffer.from(bytes))).json() as { id: string }).id;

describe('exports of other clients', () => {
  it('keep their branches, and leave out what their clients do not show', () => {
    const { from, chats, unread } = readConversations(CHATGPT) ?? { chats: [] };
    expect([from, unread]).toEqual(['ChatGPT', 2]);
    expect(chats[0]?.messages.map(({ role, text, after, model }) => [role, text, after, model])).toEqual([
      ['user', 'Which leaf?\n\n[image asset pointer]', null, null],
      ['assistant', 'A maple.', 0, 'gpt-4o'],
      ['assistant', 'An <b>oak</b>.', 0, null],
    ]);
    expect(chats[0]).toMatchObject({ at: '2023-11-14T22:15:00.000Z', shown: 2 });
    expect(readConversations(CLAUDE)?.chats[0]?.messages.map(({ text }) => text)).toEqual([
      '[a.txt]\n\nHi',
      'Hello',
    ]);
    expect(readConversations(LIBRECHAT)?.chats[0]?.messages.map(({ text, after }) => [text, after])).toEqual([
      ['Rain?', null],
      ['Yes.', 0],
    ]);
  });

  it.each([null, 1, 'x', [], {}, [[]], { conversations: 'no' }, [{ mapping: 1 }], { messages: [] }])(
    'of another form are none: %j',
    (json) => {
      expect(readConversations(json)).toBeNull();
    },
  );

  it('in circles, without parents and twenty thousand deep are read in linear time', () => {
    const deep = Array.from({ length: 20_000 }, (_, n) => ({
      id: n,
      parent: n + 1,
      role: 'user',
      text: `${n}`,
    }));
    const [chat] =
      readConversations([
        {
          id: 'x',
          messages: [...deep, { id: 'a', parent: 'a', text: 'me' }, { id: 'b', parent: 'lost', text: 'b' }],
        },
      ])?.chats ?? [];
    expect(chat?.messages).toHaveLength(20_002);
    expect(chat?.messages[0]).toMatchObject({ text: '19999', after: null });
    expect(chat?.messages.slice(-2).map(({ after }) => after)).toEqual([null, null]);
  });
});

describe('an import', () => {
  it('is searched like other conversations, is made once, and is undone where nothing was written since', async () => {
    const { page } = await openChatDesktop(() => ({ text: ['An answer'] }));
    const file = await upload(
      page,
      'export.zip',
      packBundle(
        new Map([
          ['conversations.json', Buffer.from(JSON.stringify(CHATGPT))],
          ['chat.html', Buffer.from('<p>no</p>')],
        ]),
      ),
    );
    const { body } = await page.call('chats.import', { project: 'project-1', file });
    expect(body).toMatchObject({ from: 'ChatGPT', added: 1, known: 0, unread: 2 });
    const again = await page.call('chats.import', { project: 'project-1', file });
    expect(again.body).toMatchObject({ added: 0, known: 1 });
    const { chats } = (await page.call('chats.list', { project: 'project-1', q: 'oak' })).body;
    expect(chats).toMatchObject([{ title: 'Leaves', match: { words: 'oak' } }]);
    const claude = await upload(page, 'conversations.json', JSON.stringify(CLAUDE));
    const other = (await page.call('chats.import', { project: 'project-1', file: claude })).body;
    const [soup] = (await page.call('chats.list', { project: 'project-1', q: 'soup' })).body.chats;
    await page.call('chats.send', { chat: soup?.id ?? '', text: 'More', files: [] });
    expect((await page.call('chats.undoImport', { import: body.id })).body).toEqual({ removed: 1 });
    expect((await page.call('chats.undoImport', { import: other.id })).body).toEqual({ removed: 0 });
  });

  it('takes its own export back, with every branch', async () => {
    const { page, chat, say } = await openChatDesktop(() => ({ text: ['Hello **there**'] }));
    const first = await say('one');
    await page.call('chats.retry', { chat, message: first.id });
    await expect.poll(async () => (await page.call('chats.open', { chat })).body.chat.running).toBe(false);
    const archive = (await page.get('/conversations')).body;
    await page.call('chats.remove', { chat });
    const file = await upload(page, 'conversations.zip', archive);
    const { body } = await page.call('chats.import', { project: 'project-1', file });
    expect(body).toMatchObject({ from: 'svc', added: 1, unread: 0 });
    const [back] = (await page.call('chats.list', { project: 'project-1' })).body.chats;
    const { messages } = (await page.call('chats.open', { chat: back?.id ?? '' })).body;
    expect(messages.map(textOf)).toEqual(['one', 'Hello **there**']);
    expect(messages[1]?.branches).toHaveLength(2);
  });

  it('refuses what is no export, a bomb, and an archive without conversations, and changes nothing', async () => {
    const { page } = await openChatDesktop(() => ({ text: [''] }));
    const bomb = packBundle(new Map([['conversations.json', Buffer.alloc(8 * 1024 * 1024, ' ')]]));
    const grown = Buffer.from(bomb);
    // An entry that declares 300 MB.
    for (const at of [grown.indexOf('PK\u0001\u0002') + 24, 22]) grown.writeUInt32LE(300 * 1024 * 1024, at);
    for (const [bytes, why] of [
      ['{}', /no export/],
      ['PK no zip', /archive cannot be read/],
      [packBundle(new Map([['a.json', Buffer.from('{}')]])), /no conversations\.json/],
      [grown, /archive|200 MB|shrinks/],
    ] as const) {
      const file = await upload(page, 'x', bytes);
      const { status, body } = await page.call('chats.import', { project: 'project-1', file });
      expect([status, (body as unknown as { message: string }).message]).toEqual([
        422,
        expect.stringMatching(why),
      ]);
    }
    expect((await page.call('chats.list', { project: 'project-1' })).body.chats).toHaveLength(1);
  });
});
