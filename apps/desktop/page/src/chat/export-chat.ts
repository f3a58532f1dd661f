import { download } from '../parts/download.ts';
import type { Desk } from '../wire/ask.ts';

/** Saves a conversation as a Markdown file of the browser. */
export async function exportChat(desk: Desk, chat: string): Promise<void> {
  const { name, markdown } = await desk.ask('chats.export', { chat });
  download(name, new Blob([markdown], { type: 'text/markdown' }));
}
