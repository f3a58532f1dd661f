import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DEEP } from '@svc/testkit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { gatherLines } from '../../../src/adapters/log/open-log.ts';

const MODULE = pathToFileURL(join(import.meta.dirname, '../../../src/adapters/log/open-log.ts')).href;

/** The log lines that a program writes before it ends. */
function logged(level: string, work: string, ended: 'by itself' | 'by exit' | 'by an error') {
  const end = { 'by itself': '', 'by exit': 'process.exit(0)', 'by an error': 'throw new Error("over")' }[
    ended
  ];
  const program = `import { openServerLog } from ${JSON.stringify(MODULE)};
    const { log, logRequest } = openServerLog(${JSON.stringify(level)});
    ${work}
    ${end}`;
  const { stdout } = spawnSync(
    process.execPath,
    ['--conditions', 'development', '--input-type=module', '-e', program],
    { encoding: 'utf8' },
  );
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

const LINE = { requestId: 'r', address: '2001:db8::1', method: 'GET', route: '/apps/:appId', status: 200 };

const REQUESTS = `for (let n = 0; n < 300; n += 1) logRequest({ ...${JSON.stringify(LINE)}, status: n }, 0.123);
  log.error({ err: new Error('broken') }, 'last');`;

describe.each([
  ['by an error', {}],
  ['by itself', DEEP],
  ['by exit', DEEP],
] as const)('a process that ends %s', (ended, options) => {
  it('loses no line', options, () => {
    const lines = logged('info', REQUESTS, ended);
    expect(lines).toHaveLength(301);
    // When the process exits at once, lines that a thread still holds are written last.
    const statuses = lines.flatMap(({ status }) => status ?? []).sort((one, other) => one - other);
    expect(statuses).toEqual(Array.from({ length: 300 }, (_, n) => n));
    expect(lines.filter(({ level }) => level === 50)).toMatchObject([
      { msg: 'last', err: { message: 'broken' } },
    ]);
  });
});

it('writes a request in the same format as other log lines, and escapes special characters of the actor', () => {
  const actor = 'publisher:a"\\\u202e';
  const work = `const line = ${JSON.stringify({ ...LINE, actor })};
    logRequest(line, 1.26);
    log.info({ ...line, ms: 1.3 }, 'request');
    logRequest({ ...line, address: null, actor: undefined }, 0);`;
  const [request, same, bare] = logged('info', work, 'by itself');
  expect(request).toEqual({ ...same, time: request.time });
  expect(request).toMatchObject({ ...LINE, actor, ms: 1.3, msg: 'request', level: 30 });
  expect(Object.keys(request)).toEqual(Object.keys(same));
  expect(bare).toMatchObject({ address: null, ms: 0 });
  expect(bare).not.toHaveProperty('actor');
});

it('goes on without a log that cannot be written', () => {
  const work = `import { openServerLog } from ${JSON.stringify(MODULE)};
    const { log, dropped } = openServerLog('info');
    for (let n = 0; n < 300; n += 1) log.error({ n }, 'a line');
    setTimeout(() => process.stderr.write(String(dropped())), 500);`;
  const full = openSync('/dev/full', 'w');
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', work], {
    encoding: 'utf8',
    stdio: ['ignore', full, 'pipe'],
  });
  closeSync(full);
  expect({ stderr, status }).toEqual({ stderr: '300', status: 0 });
});

it('writes no requests at the level warn', () => {
  expect(logged('warn', REQUESTS, 'by itself')).toMatchObject([{ msg: 'last' }]);
});

/** A sink that records its chunks. */
function opened() {
  const before = process.listeners('exit').length;
  const chunks: Buffer[] = [];
  const end = vi.fn();
  const lines = gatherLines({ write: (chunk) => void chunks.push(chunk), end });
  const atExit = process.listeners('exit')[0] as () => void;
  expect(process.listeners('exit')).toHaveLength(before + 1);
  onTestFinished(() => {
    for (const end of ['exit', 'beforeExit'] as const) process.off(end, atExit);
  });
  return { lines, chunks, end, atExit, text: () => Buffer.concat(chunks).toString() };
}

describe('lines of a log', () => {
  it('are all written, complete and in order, whatever their length and script', () => {
    const { lines, text, chunks, atExit } = opened();
    const all = Array.from({ length: 500 }, (_, n) => `${n} ${'ä€𝄞'.repeat(n % 40)}\n`);
    all.splice(200, 0, `${'long '.repeat(20_000)}\n`);
    for (const line of all) lines.write(line);
    atExit();
    expect(text()).toBe(all.join(''));
    expect(chunks.length).toBeLessThan(20);
  });

  it('are buffered only for a moment', async () => {
    const { lines, text } = opened();
    lines.write('one\n');
    expect(text()).toBe('');
    await expect.poll(text).toBe('one\n');
  });

  it('are written at the exit before the log ends', () => {
    const { lines, text, end, atExit } = opened();
    lines.write('one\n');
    end.mockImplementation(() => expect(text()).toBe('one\n'));
    atExit();
    expect(end).toHaveBeenCalledOnce();
  });
});
