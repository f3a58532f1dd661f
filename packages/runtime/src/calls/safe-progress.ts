import type { Progress } from '@modelcontextprotocol/client';
import { createTokenBucket } from '../panels/bridge/token-bucket.ts';
import type { System } from '../platform/system.ts';
import { quoted } from './fault.ts';
import type { Secrets } from './secrets.ts';

/** Progress of a tool call. */
export type CallProgress = { progress: number; total?: number; message?: string };

/** Maximum length of a message, in characters. */
const MAX_MESSAGE = 2_000;

/** Rate limit of reports. Of the notifications above it, the newest is reported. */
const REPORTS = { burst: 10, perSecond: 10 };

/** A shared reason: creating an error for each call is expensive. */
const OVER = new Error('The call is over.');

/**
 * Reports progress at a limited rate, with bounded messages without tokens, even if a token is split over several reports. A server may
 * send any number of notifications.
 */
export function safeProgress(
  report: (progress: CallProgress) => void,
  secrets: Secrets,
  system: Pick<System, 'now' | 'sleep'>,
) {
  const strip = secrets.stream();
  const bucket = createTokenBucket(REPORTS, system.now);
  const ended = new AbortController();
  let waiting: Progress | null = null;

  function send({ progress, total, message }: Progress): void {
    report({
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message: quoted(strip(message.slice(0, MAX_MESSAGE)), secrets) }),
    });
  }
  function sendWaiting(): void {
    const last = waiting;
    waiting = null;
    if (last) send(last);
  }
  return {
    receive(progress: Progress): void {
      const isFirst = waiting === null;
      if (isFirst && bucket.take()) {
        send(progress);
        return;
      }
      waiting = progress;
      if (isFirst) {
        system.sleep(1_000 / REPORTS.perSecond, ended.signal).then(
          () => {
            bucket.take();
            sendWaiting();
          },
          () => undefined,
        );
      }
    },
    /** Reports the newest notification, if it waits. Call it at the end of the call. */
    end(): void {
      ended.abort(OVER);
      sendWaiting();
    },
  };
}
