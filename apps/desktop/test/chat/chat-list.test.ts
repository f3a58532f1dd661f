import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createConversations } from '../../src/chat/chat-database.ts';
import { createChatList } from '../../src/chat/chat-list.ts';
import { openChatDatabase } from '../../src/chat/chat-schema.ts';
import { tempFolder } from '../support/temp-folder.ts';

async function open() {
  const database = openChatDatabase(join(await tempFolder(), 'chats.sqlite'));
  onTestFinished(() => database.close());
  let time = Date.UTC(2026, 0, 1);
  const later = () => {
    time += 60_000;
    return new Date(time);
  };
  const conversations = createConversations(database, later);
  const say = (chat: string, text: string) =>
    conversations.add(chat, conversations.get(chat).head, 'user', {
      ...{ parts: [{ type: 'text', step: 0, text }], status: 'done', fault: null, model: null },
    });
  return { conversations, say, list: createChatList(database) };
}

it('lists every conversation of a project, pinned ones first, and archived ones apart', async () => {
  const { conversations, list } = await open();
  for (let n = 0; n < 327; n += 1) conversations.create(`c${n}`, 'default', null);
  conversations.create('other', 'another', null);
  conversations.change('c0', { pinned: true });
  conversations.change('c326', { archived: true });
  const ids = (query: Partial<Parameters<typeof list>[0]>) => {
    const { chats, more } = list({ project: 'default', ...query });
    return { first: chats.slice(0, 2).map(({ id }) => id), count: chats.length, more };
  };
  expect(ids({})).toEqual({ first: ['c0', 'c325'], count: 100, more: true });
  expect(ids({ limit: 400 })).toEqual({ first: ['c0', 'c325'], count: 326, more: false });
  expect(ids({ archived: true })).toEqual({ first: ['c326'], count: 1, more: false });
});

it('finds words in any case and script, also in archived conversations, and shows the newest place', async () => {
  const { conversations, say, list } = await open();
  conversations.create('a', 'default', null);
  say('a', 'The ÉCLAIR of yesterday, with 100% butter.');
  const newest = say('a', `${'x'.repeat(80)} another Éclair\nhere`);
  conversations.create('b', 'default', null);
  conversations.title('b', 'Борщ_1');
  conversations.change('b', { archived: true });
  const found = (q: string) => list({ project: 'default', q }).chats.map(({ id, match }) => [id, match]);
  expect(found('éclair')).toEqual([
    ['a', { message: newest.id, before: `${'x'.repeat(41)} another `, words: 'Éclair', after: '\nhere' }],
  ]);
  expect(found('БОРЩ')).toEqual([['b', undefined]]);
  // No wildcards, and no words of the stored form.
  expect(['10_% b', 'борщ%', '"step"', 'done'].flatMap(found)).toEqual([]);
});

it('opens in another branch than the shown one', async () => {
  const { conversations, say } = await open();
  conversations.create('a', 'default', null);
  const first = say('a', 'one');
  conversations.change('a', {});
  conversations.add('a', null, 'user', { parts: [], status: 'done', fault: null, model: null });
  expect(conversations.around('a', first.id)).toBeNull();
  conversations.select('a', first.id);
  expect(conversations.around('a', first.id)).toMatchObject({
    messages: [{ id: first.id }],
    more: false,
    newer: false,
  });
});
