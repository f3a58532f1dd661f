import { inBackground } from '@svc/contracts/guarded';
import { asRefusal, type System } from '@svc/runtime';
import type { DesktopRuntime } from '../desktop.ts';
import type { PageEvents } from '../events/page-events.ts';
import type { ChatPart } from '../wire/chat.ts';
import type { ChatStore } from './chat-stores.ts';

/** How long temporary conversations stay after the last page was closed, in milliseconds: browsers drop hidden tabs, and open them again. */
const GRACE_MS = 5 * 60_000;

type Deps = {
  events: Pick<PageEvents, 'pages' | 'watchPages'>;
  system: Pick<System, 'sleep'>;
  /** Called when no page has been open for a while. */
  close(): Promise<void>;
  onFault(error: unknown): void;
};

/** Closes what is only there as long as a page is open. */
export function keepWhileOpen({ events, system, close, onFault }: Deps) {
  let waiting = new AbortController();
  function check(pages: number): void {
    waiting.abort();
    waiting = new AbortController();
    const { signal } = waiting;
    const closeLater = async () => {
      await system.sleep(GRACE_MS, signal);
      if (!signal.aborted) await close();
    };
    if (pages === 0) inBackground(closeLater(), (error) => signal.aborted || onFault(error));
  }
  events.watchPages(check);
  return {
    /** Begins to wait if no page is open. */
    check: () => check(events.pages()),
    stop: () => waiting.abort(),
  };
}

/** Deletes the files that apps returned in a conversation, which the runtime keeps on disk. */
export async function removeReturned(
  runtime: DesktopRuntime,
  { database, conversations }: ChatStore,
  id: string,
) {
  const { project } = conversations.get(id);
  const rows = database.prepare('select parts from messages where chat = ?').all(id);
  const parts = rows.flatMap((row) => JSON.parse(String(row.parts)) as ChatPart[]);
  const files = parts.flatMap((part) => (part.type === 'call' ? part.call.files : []));
  for (const { appId, id: file } of files) {
    if (appId === null) continue;
    await runtime.files.remove(appId, file, { project }).catch((error: unknown) => {
      // The user, or the removal of the app, deleted it before.
      if (!asRefusal(error)) throw error;
    });
  }
}
