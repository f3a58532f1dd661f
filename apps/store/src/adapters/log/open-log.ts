import { hostname } from 'node:os';
import { escapeJson } from '@svc/text';
import { destination, pino } from 'pino';
import type { Log, RequestLog } from '../../platform/system.ts';
import { gatherLines } from './gather-lines.ts';
import { writeChunks } from './write-chunks.ts';

/** JSON does not escape bidi controls and some other hidden characters, which must be visible in the log. */
const HOOKS = { streamWrite: escapeJson };

const INFO = pino.levels.values.info ?? 30;

/** A log that writes each line immediately, for commands. A line that cannot be written is dropped. */
export function openCommandLog(): Log {
  const to = destination({ fd: process.stderr.fd, sync: true });
  to.on('error', () => {});
  return pino({ level: 'warn', hooks: HOOKS }, to);
}

/** JSON of a text, with hidden characters escaped. */
const quote = (text: string): string => escapeJson(JSON.stringify(text));

/** A log, and how many lines were dropped because it could not be written. */
type ServerLog = { log: Log; logRequest: RequestLog; dropped(): number };

/**
 * The log of a server, on standard output.
 * @param level the lowest level that is written
 */
export function openServerLog(level: string): ServerLog {
  const chunks = writeChunks(process.stdout.fd, (dropped) =>
    log.warn({ dropped }, 'The log could not be written for a while: lines were dropped.'),
  );
  const lines = gatherLines(chunks);
  const base = { pid: process.pid, hostname: hostname() };
  const log = pino({ level, base, hooks: HOOKS }, lines);
  const origin = JSON.stringify(base).slice(1, -1);
  const { dropped } = chunks;
  if (!log.isLevelEnabled('info')) return { log, dropped, logRequest: () => {} };
  return {
    log,
    dropped,
    // The line that `log.info` would write. Every request writes one, and pino takes longer for a line than most requests take.
    logRequest({ requestId, address, method, route, status, actor }, ms) {
      const from = address === null ? 'null' : JSON.stringify(address);
      const who = actor === undefined ? '' : `,"actor":${quote(actor)}`;
      lines.write(
        `{"level":${INFO},"time":${Date.now()},${origin},"requestId":"${requestId}","address":${from},"method":"${method}","route":"${route}","status":${status}${who},"ms":${Math.round(ms * 10) / 10},"msg":"request"}\n`,
      );
    },
  };
}
