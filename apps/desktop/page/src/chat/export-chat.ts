import { download } from '../parts/download.ts';
import type { DesktopClient } from '../wire/desktop-client.ts';

/** Downloads a conversation as a Markdown file. */
export async function exportChat(desktop: DesktopClient, chat: string): Promise<void> {
  const { name, markdown } = await desktop.request('chats.export', { chat });
  download(name, new Blob([markdown], { type: 'text/markdown' }));
}
