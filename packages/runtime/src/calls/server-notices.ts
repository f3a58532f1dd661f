import type { Client } from '@modelcontextprotocol/client';
import type { Events } from '../events/events.ts';
import { createTokenBucket } from '../panels/bridge/token-bucket.ts';
import type { System } from '../platform/system.ts';
import { quoted } from './fault.ts';
import type { Secrets } from './secrets.ts';

/** What a server tells without being asked. */
export type ServerNotice =
  | { kind: 'log'; level: string; text: string }
  | { kind: 'changed'; list: 'tools' | 'resources' | 'prompts' }
  | { kind: 'updated'; uri: string };

/** Rate limit of the notices of a server that become events; those above it are dropped. */
const NOTICES = { burst: 20, perSecond: 2 };

/** Maximum characters of a log entry that are read. */
const MAX_TEXT = 4_000;

const textOf = (data: unknown): string => (typeof data === 'string' ? data : (JSON.stringify(data) ?? ''));

/** Receives the notifications of a server: its log (MCP, "Logging") and changes of its lists. */
export function receiveNotices(mcp: Client, receive: (notice: ServerNotice) => void): void {
  mcp.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) => {
    const text = textOf(data).slice(0, MAX_TEXT);
    receive({ kind: 'log', level, text: logger === undefined ? text : `${logger.slice(0, 100)}: ${text}` });
  });
  mcp.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) =>
    receive({ kind: 'updated', uri }),
  );
  for (const list of ['tools', 'resources', 'prompts'] as const) {
    mcp.setNotificationHandler(`notifications/${list}/list_changed`, () =>
      receive({ kind: 'changed', list }),
    );
  }
}

/** Emits the notices of an app's server as events, at a limited rate and without tokens. */
export function emitNotices(
  { events, system }: { events: Events; system: Pick<System, 'now'> },
  appId: string,
  secrets: Secrets,
): (notice: ServerNotice) => void {
  const bucket = createTokenBucket(NOTICES, system.now);
  return (notice) => {
    if (!bucket.take()) return;
    if (notice.kind === 'updated') events.emit({ type: 'server-resource-updated', appId, uri: notice.uri });
    else if (notice.kind === 'changed')
      events.emit({ type: 'server-list-changed', appId, list: notice.list });
    else events.emit({ type: 'server-log', appId, level: notice.level, text: quoted(notice.text, secrets) });
  };
}
