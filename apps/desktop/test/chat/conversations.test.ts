import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openChatDatabase } from '../../src/chat/chat-database.ts';
import { createConversations } from '../../src/chat/conversations.ts';
import { tempFolder } from '../support/temp-folder.ts';

const SIZE = 10_000;

it('reads a conversation of 10,000 messages from its end, page by page, and searches it', async () => {
  const database = openChatDatabase(join(await tempFolder(), 'chats.sqlite'));
  onTestFinished(() => database.close());
  const conversations = createConversations(database, () => new Date(0));
  database.exec('begin');
  conversations.create('long', 'default', null);
  let parent: number | null = null;
  for (let n = 1; n <= SIZE; n += 1) {
    const parts = [{ type: 'text' as const, step: 0, text: `message ${n}` }];
    const role = n % 2 === 1 ? 'user' : 'assistant';
    parent = conversations.add('long', parent, role, { parts, status: 'done', fault: null, model: null }).id;
  }
  database.exec('commit');
  const last = conversations.page('long');
  expect([last.messages.length, last.more, last.messages.at(-1)?.parts]).toEqual([
    60,
    true,
    [{ type: 'text', step: 0, text: `message ${SIZE}` }],
  ]);
  const before = conversations.page('long', last.messages[0]?.id);
  expect(before.messages.at(-1)?.id).toBe(last.messages[0]?.parent);
  // A model is sent the end of it, and an export has all of it.
  expect(conversations.before('long', parent)).toHaveLength(400);
  expect(conversations.everything('long')).toHaveLength(SIZE);
  expect(conversations.list('default', 'message 4711').map(({ id }) => id)).toEqual(['long']);
  expect(conversations.list('default', 'message 4711x')).toEqual([]);
});
