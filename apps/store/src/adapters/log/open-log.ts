import { hostname } from 'node:os';
import { guarded } from '@svc/contracts/guarded';
import { escapeJson } from '@svc/text';
import { destination, pino } from 'pino';
import type { Log, RequestLog } from '../../platform/system.ts';
import type { Chunks } from './write-chunks.ts';
import { writeChunks } from './write-chunks.ts';

/** Maximum bytes of one write, half of what a pipe of Linux holds: each write wakes a thread, which costs as much as several requests. */
const CHUNK = 32 * 1024;

/** Maximum time that a line is buffered, in milliseconds. */
const WAIT_MS = 200;

/** Maximum bytes of a UTF-16 unit in UTF-8. */
const MAX_BYTES = 3;

/**
 * Buffers the lines of a log as bytes and writes many in one call: queueing each line as a string costs more than many requests. No
 * line is lost when the process ends normally, by `process.exit` or by an error.
 */
export function gatherLines({ write, end }: Pick<Chunks, 'write' | 'end'>): { write(line: string): void } {
  const buffer = Buffer.allocUnsafeSlow(CHUNK);
  let size = 0;
  const pass = () => {
    if (size > 0) write(Buffer.from(buffer.subarray(0, size)));
    size = 0;
  };
  setInterval(guarded(pass), WAIT_MS).unref();
  process.prependListener('beforeExit', guarded(pass));
  const onExit = () => {
    pass();
    end();
  };
  process.prependListener('exit', guarded(onExit));
  return {
    write(line) {
      if (size + line.length * MAX_BYTES > CHUNK) pass();
      if (line.length * MAX_BYTES > CHUNK) write(Buffer.from(line));
      else size += buffer.write(line, size);
    },
  };
}

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
      // An address has no letter that JSON escapes.
      const from = address === null ? 'null' : `"${address}"`;
      const who = actor === undefined ? '' : `,"actor":${quote(actor)}`;
      lines.write(
        `{"level":${INFO},"time":${Date.now()},${origin},"requestId":"${requestId}","address":${from},"method":"${method}","route":"${route}","status":${status}${who},"ms":${Math.round(ms * 10) / 10},"msg":"request"}\n`,
      );
    },
  };
}
