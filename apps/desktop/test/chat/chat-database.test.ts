import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createConversations } from '../../src/chat/chat-database.ts';
import { openChatDatabase } from '../../src/chat/chat-schema.ts';
import { tempFolder } from '../support/temp-folder.ts';

const SIZE = 10_000;

it('reads a conversation of 10,000 messages from its end, page by page, and searches it', async () => {
  const database = openChatDatabase(join(await tempFolder(), 'chats.sqlite'));
  onTestFinished(() => database.close());
  const conversations = createConversations(database, () => new Date(0));
  conversations.create('long', 'default', null);
  database.exec(`insert into messages (chat, parent, role, parts, status, at)
    with recursive n (i) as (values (1) union all select i + 1 from n where i < ${SIZE})
    select 'long', nullif(i - 1, 0), iif(i % 2 = 1, 'user', 'assistant'),
      json_array(json_object('type', 'text', 'step', 0, 'text', 'message ' || i)), 'done', '' from n`);
  conversations.select('long', SIZE);
  const last = conversations.page('long');
  expect([last.messages.length, last.more, last.messages.at(-1)?.parts]).toEqual([
    60,
    true,
    [{ type: 'text', step: 0, text: `message ${SIZE}` }],
  ]);
  const before = conversations.page('long', last.messages[0]?.id);
  expect(before.messages.at(-1)?.id).toBe(last.messages[0]?.parent);
  // A model receives only the newest messages; an export contains all of them.
  expect(conversations.before('long', SIZE)).toHaveLength(400);
  expect(conversations.everything('long')).toHaveLength(SIZE);
  // A search opens in the middle of it.
  const around = conversations.around('long', 4711);
  expect([around?.messages[0]?.id, around?.messages.at(-1)?.id]).toEqual([4701, 4770]);
  expect([around?.more, around?.newer]).toEqual([true, true]);
});
