import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ALLOWED, bareCallbacks, CALLBACK_SOURCES, CONTAINED, IN_BROWSERS } from '../scripts/callbacks.ts';

const ROOT = join(import.meta.dirname, '..');

/** Only such sources have callbacks that may end a process. */
const CANDIDATE =
  /\b(?:setTimeout|setInterval|setImmediate|queueMicrotask|nextTick|on|once|add\w*Listener|prepend\w*)\(|\bvoid |'node:(?:child_process|worker_threads|net|tls|https?|fs)'/;

const found = globSync(CALLBACK_SOURCES, { cwd: ROOT })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !IN_BROWSERS.test(file))
  .flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return CANDIDATE.test(text) ? bareCallbacks(file, text).map((bare) => ({ file, ...bare })) : [];
  });

describe('callbacks of the programs and of the runtime', () => {
  it('cannot end the process: each is guarded, and each emitter has a listener for its errors', () => {
    const bare = found
      .filter(({ file, what }) => CONTAINED[file] === undefined && ALLOWED[`${file}: ${what}`] === undefined)
      .map(({ file, line, what }) => `${file}:${line} ${what}`);
    expect(bare, 'use `guarded` or `inBackground` of @svc/contracts/guarded').toEqual([]);
  });

  it('have no exception without a use', () => {
    const used = new Set(found.flatMap(({ file, what }) => [file, `${file}: ${what}`]));
    expect([...Object.keys(CONTAINED), ...Object.keys(ALLOWED)].filter((name) => !used.has(name))).toEqual(
      [],
    );
  });
});

describe('the check of callbacks', () => {
  const bareIn = (text: string) => bareCallbacks('x.ts', text).map(({ what }) => what);

  it.each([
    // The timer that ended a store: the socket of a request is null once the request is over.
    ['setTimeout(() => request.socket.destroy(), 2_000);', 'setTimeout'],
    ['const end = () => rmSync(file); setInterval(end, 5);', 'setInterval'],
    ['setImmediate(work);', 'setImmediate'],
    ["socket.on('close', () => forget(socket)).on('error', () => {});", "socket.on('close')"],
    ["signal.addEventListener('abort', async () => stop());", "signal.addEventListener('abort')"],
    ["socket.once('error', () => {});", "socket.once('error')"],
    ["stream.on('data', guarded(take));", 'stream without a listener for errors'],
    [
      "import { Worker } from 'node:worker_threads'; const thread = new Worker(file);",
      'Worker without a listener for errors',
    ],
    [
      "import { spawn } from 'node:child_process'; spawn('ls').unref();",
      'spawn without a listener for errors',
    ],
    ['void send(mail);', 'void send'],
  ])('finds %s', (text, what) => expect(bareIn(text)).toContain(what));

  it.each([
    'setTimeout(guarded(() => request.socket.destroy()), 2_000);',
    "const end = guarded(stop); socket.on('close', end);",
    'new Promise((resolve) => setTimeout(resolve, 5));',
    "import { setTimeout } from 'node:timers/promises'; await setTimeout(5);",
    "signal.addEventListener('abort', () => reject(signal.reason), { once: true });",
    "import { spawn } from 'node:child_process'; const child = spawn('ls'); child.on('error', reject);",
    "for (const pipe of [input, output]) pipe.on('error', () => {}); input.on('data', guarded(take));",
    "query.on('versions.app_id', '=', 'apps.app_id');",
    'void stream.write(text);',
  ])('accepts %s', (text) => expect(bareIn(text)).toEqual([]));
});
