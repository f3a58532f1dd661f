import { join } from 'node:path';
import { SCRIPT_MODEL } from '@svc/testkit';
import { createConversations } from '../../apps/desktop/src/chat/chat-database.ts';
import { openChatDatabase } from '../../apps/desktop/src/chat/chat-schema.ts';
import { FIRST_PROJECT } from '../../apps/desktop/src/settings/open-settings.ts';
import type { ModelRef } from '../../apps/desktop/src/wire/chat.ts';

const ID = 'start';
const TITLE = 'Start here';

/** The page on which the desktop of the demo opens. */
export const FIRST_PAGE = `/chat/${ID}`;

const TEXT = `**This is a script, not an AI.** It answers here so that you can try a conversation with apps before you have a model. For real answers, add a provider under **Settings**, Models.

1. Choose **Store**, open **Pinboard** and install it. You see its permissions before you agree.
2. Come back to this conversation: **Chat**, *${TITLE}*. Add two pictures and write *pin these two pictures to my board*
3. Connect the account when asked (any name works), review the data to be sent, and approve it. Then choose **Open Board**.

Next, write *what is on my board?* or *draw a contact sheet*. **Find** at the top of the page, or Ctrl K, searches everything.`;

/** Writes the first conversation of the demo, with one message: what to type. @param folder data folder of the desktop */
export function writeFirstConversation(folder: string, model: ModelRef): void {
  const database = openChatDatabase(join(folder, 'chats.sqlite'));
  try {
    const conversations = createConversations(database, () => new Date());
    conversations.create(ID, FIRST_PROJECT.id, model);
    const parts = [{ type: 'text' as const, step: 0, text: TEXT }];
    conversations.add(ID, null, 'assistant', { parts, status: 'done', fault: null, model: SCRIPT_MODEL });
    conversations.title(ID, TITLE);
  } finally {
    database.close();
  }
}
