import { readFileSync } from 'node:fs';
import { DEEP } from '@svc/testkit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CommandTransport, openCommand } from '../../src/calls/open-command.ts';
import { createSecrets } from '../../src/calls/secrets.ts';
import { isAlive, openCommandCalls, pidsIn, SECRET, testCommand } from '../support/local-connectors.ts';
import { panelApp } from '../support/panel-app.ts';
import { refused } from '../support/refused.ts';
import { stoppedClock } from '../support/stopped-clock.ts';
import { system } from '../support/system.ts';

const textOf = ({ parts }: { parts: readonly unknown[] }): string => (parts[0] as { text: string }).text;

/** The value of a variable that is no secret: results may name it. */
const FOLDER_SETTING = '/srv/the/folder/of/notes';

describe('the program of a connector', () => {
  it('receives its arguments unchanged, its folder, the usual environment, and only the other variables that the user named', async () => {
    const { call, folder, record } = await openCommandCalls({
      command: { variables: ['SVC_NAMED', 'SVC_MODE', 'SVC_MISSING'] },
      env: {
        SVC_NAMED: FOLDER_SETTING,
        SVC_MODE: 'production',
        AWS_SECRET_ACCESS_KEY: 'not for it',
        NODE_OPTIONS: '--no-warnings',
      },
    });
    const { env, ...rest } = JSON.parse(textOf(await call('environment')));
    expect(rest).toEqual({ folder, args: [record, ''] });
    expect(env).toMatchObject({ SVC_NAMED: FOLDER_SETTING, SVC_MODE: 'production', PATH: process.env.PATH });
    // Node passes the folder of a coverage on to each process.
    const usual = ['NODE_V8_COVERAGE', 'HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];
    const named = ['SVC_NAMED', 'SVC_MODE'];
    expect(Object.keys(env).filter((name) => ![...usual, ...named].includes(name))).toEqual([]);
  });

  it('is started once for many calls, and ends when its connection is closed', async () => {
    const { calls, call, app, record } = await openCommandCalls();
    expect(await calls.tools(app)).toContainEqual(expect.objectContaining({ id: 'wait', account: null }));
    await Promise.all([call('environment'), call('environment')]);
    // Its standard output may have lines that are no messages.
    expect(textOf(await call('chatty'))).toBe('Done.');
    await call('environment');
    expect(pidsIn(record)).toHaveLength(1);
    // Some servers send no log until they are asked for it.
    await expect.poll(() => readFileSync(record, 'utf8')).toContain('log info');
    await calls.close(app.appId);
    expect(pidsIn(record).filter(isAlive)).toEqual([]);
    await call('environment');
    expect(pidsIn(record)).toHaveLength(2);
    await calls.stop();
    expect(pidsIn(record).filter(isAlive)).toEqual([]);
  });

  it('may support only the newer revision of MCP', DEEP, async () => {
    const { calls, call, app, record } = await openCommandCalls({ wild: 'modern' });
    expect(await calls.tools(app)).not.toEqual([]);
    expect(JSON.parse(textOf(await call('environment'))).args).toEqual([record, 'modern']);
    await calls.close(app.appId);
    await call('environment');
    // Started with the older revision, then with the newer one, which is remembered.
    expect(pidsIn(record)).toHaveLength(3);
  });

  it('that exits during a call fails the call without a retry, and is started again for the next call', async () => {
    const { call, record, faults } = await openCommandCalls();
    await expect(call('leave')).rejects.toEqual(refused('server-failed'));
    expect(pidsIn(record)).toHaveLength(1);
    await call('environment');
    expect(pidsIn(record)).toHaveLength(2);
    expect(faults).toHaveLength(1);
  });

  it('has its error output logged in part, escaped and without secrets, and not shown to the agent', async () => {
    const { call, faults } = await openCommandCalls({ command: { variables: ['SVC_TEST_TOKEN'] } });
    const error = await call('complain').catch((refusal: Error) => refusal);
    expect(error).toEqual(refused('server-failed'));
    expect(JSON.stringify(error) + String(error)).not.toContain('said last');
    await expect.poll(() => faults.length).toBe(1);
    const [{ message = '' } = {}] = faults;
    expect(message).toContain('\\u001b[31m the token is [secret], said last');
    expect(message).not.toContain(SECRET);
    expect(message.length).toBeLessThan(2_000);
  });

  it('that echoes the value of a variable has it redacted from its results', async () => {
    const { call } = await openCommandCalls({ command: { variables: ['SVC_TEST_TOKEN'] } });
    expect(textOf(await call('say-token'))).toBe('The token is [secret].');
  });

  it('is ended by a call that takes too long, and by no call that is ended', async () => {
    const { call, calls, app, events, record } = await openCommandCalls();
    await call('environment');
    const ended = expect(call('wait')).rejects.toEqual(refused('switched-off'));
    // The next call is answered while this one runs.
    await call('environment');
    const { appId, version } = app;
    events.emit({ type: 'app-switched', appId, version, on: false, project: 'p' });
    await ended;
    await call('environment');
    expect(pidsIn(record)).toHaveLength(1);
    await expect(call('wait', 1_500)).rejects.toEqual(refused('too-slow'));
    await expect.poll(() => pidsIn(record).filter(isAlive)).toEqual([]);
    await calls.tools(app);
    expect(pidsIn(record)).toHaveLength(2);
  });

  it.each([
    ['pour', 60_000, 'too-large'],
    ['garbage', 60_000, 'too-large'],
    ['huge', 60_000, 'too-large'],
  ])(
    'is ended after the faulty call %s, and started again for the next call',
    DEEP,
    async (tool, ms, code) => {
      const { call, record } = await openCommandCalls();
      await call('environment');
      await expect(call(tool, ms)).rejects.toEqual(refused(code));
      await expect.poll(() => pidsIn(record).filter(isAlive)).toEqual([]);
      await call('environment');
      expect(pidsIn(record)).toHaveLength(2);
    },
  );

  it('that sends a message above the limit is killed, also when it writes no more', async () => {
    const program = `process.stdout.on('error', () => {});
      process.stdout.write('x'.repeat(11 * 1024 * 1024));
      setInterval(() => {}, 1000);`;
    const { command } = await testCommand('', { args: ['-e', program] });
    const transport = new CommandTransport(command, { env: process.env, platform: process.platform }, system);
    onTestFinished(() => transport.close());
    await transport.start();
    const supervisor = transport.pid ?? 0;
    await expect.poll(() => transport.failure).toEqual(refused('too-large'));
    await expect.poll(() => isAlive(supervisor)).toBe(false);
  });

  it(
    'may send any number of notifications: the newest progress of a flood is reported, at a limited rate',
    DEEP,
    async () => {
      const { calls, app, record } = await openCommandCalls();
      const reported: number[] = [];
      const before = performance.eventLoopUtilization();
      const result = await calls.call(app, {
        ...{ tool: 'hurry', arguments: {}, project: 'p', chat: 'c' },
        onProgress: ({ progress }) => reported.push(progress),
      });
      expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(1);
      expect(textOf(result)).toBe('Done.');
      expect(reported.length).toBeLessThan(500);
      expect(reported.at(-1)).toBe(200_000);
      expect(pidsIn(record)).toHaveLength(1);
    },
  );

  it.each([
    ['flood', 'too-large'],
    ['no-server', 'server-failed'],
  ])('that begins with %s is rejected and ended', DEEP, async (wild, code) => {
    const { calls, app, record } = await openCommandCalls({ wild });
    await expect(calls.tools(app)).rejects.toEqual(refused(code));
    await expect.poll(() => pidsIn(record).filter(isAlive)).toEqual([]);
  });

  it('that never answers is ended when its caller aborts', async () => {
    const { calls, app, record } = await openCommandCalls({ wild: 'silent' });
    const caller = new AbortController();
    const listing = calls.tools(app, { signal: caller.signal }).catch((error: unknown) => error);
    await expect.poll(() => pidsIn(record).length).toBe(1);
    caller.abort(new Error('enough'));
    expect(await listing).toMatchObject({ message: 'enough' });
    await expect.poll(() => pidsIn(record).filter(isAlive)).toEqual([]);
  });

  it('that does not exit on request is killed, with its child process', DEEP, async () => {
    const { calls, call, app, record } = await openCommandCalls();
    await call('cling');
    expect(pidsIn(record).filter(isAlive)).toHaveLength(2);
    await calls.close(app.appId);
    await expect.poll(() => pidsIn(record).filter(isAlive)).toEqual([]);
  });

  it('that refuses to be connected says why', async () => {
    const program = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id } = JSON.parse(line);
      const error = { code: -32000, message: 'Not today.' };
      if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error }) + '\\n');
    });`;
    const { calls, app } = await openCommandCalls({ command: { args: ['-e', program] } });
    await expect(calls.tools(app)).rejects.toMatchObject({
      code: 'server-failed',
      message: expect.stringContaining('Not today.'),
    });
  });

  it('that does not exist fails the call', async () => {
    const { call } = await openCommandCalls({ command: { program: '/no/such/program' } });
    await expect(call('environment')).rejects.toEqual(refused('server-failed'));
  });
});

describe('the output of a program', () => {
  const command = {
    kind: 'command',
    program: 'server',
    args: ['-x'],
    variables: [],
    folder: '/tmp',
  } as const;
  /** A transport whose program is not started: the test writes for it. */
  function transportOn(platform: string) {
    const clock = stoppedClock();
    const transport = new CommandTransport(command as never, { env: {}, platform }, clock);
    const heard: number[] = [];
    transport.onmessage = (message) => heard.push((message as unknown as { params: { n: number } }).params.n);
    const of = <T>(name: string): T => Reflect.get(transport, name) as T;
    const write = (...numbers: number[]) => {
      const lines = numbers.map(
        (n) => `{"jsonrpc":"2.0","method":"notifications/progress","params":{"n":${n}}}\n`,
      );
      of<{ append(chunk: Buffer): void }>('_readBuffer').append(Buffer.from(lines.join('')));
      of<() => void>('processReadBuffer').call(transport);
    };
    return {
      transport,
      heard,
      write,
      clock,
      started: of<{ command: string; args: string[] }>('_serverParams'),
    };
  }
  const many = Array.from({ length: 60 }, (_, n) => n);

  it('has the newest progress above the limit when the program is silent, again and again', async () => {
    const { heard, write, clock } = transportOn('linux');
    const sleep = vi.spyOn(clock, 'sleep');
    write(...many);
    expect(heard.splice(0)).toEqual(many.slice(0, 50));
    write(60);
    // One timer, however often the program writes.
    expect(sleep).toHaveBeenCalledTimes(1);
    for (const n of [70, 80]) {
      await clock.pass(50);
      expect(heard.splice(0)).toHaveLength(1);
      write(n, n + 1);
      expect(heard.splice(0)).toEqual([]);
    }
    await clock.pass(50);
    expect(heard).toEqual([81]);
    await clock.pass(1_000);
    expect(heard).toEqual([81]);
  });

  it('is passed on no more after its end', async () => {
    const closed = transportOn('linux');
    closed.write(...many);
    await closed.transport.close();
    closed.transport.onclose?.();
    await closed.clock.pass(50);
    expect(closed.heard).toEqual(many.slice(0, 50));
    expect(closed.transport.failure).toBeNull();
    const ended = transportOn('linux');
    ended.write(...many);
    ended.transport.onclose?.();
    await ended.transport.ended;
    await ended.clock.pass(50);
    expect(ended.heard).toEqual(many.slice(0, 50));
    expect(ended.transport.failure).toEqual(refused('server-failed'));
  });

  it('ends the program when a message is too large, and at no other fault of a message', () => {
    const { transport } = transportOn('linux');
    transport.onerror?.(new Error('no JSON'));
    expect(transport.failure).toBeNull();
    transport.onerror?.(new Error('A message exceeded maximum size.'));
    expect(transport.failure).toEqual(refused('too-large'));
  });

  it('is that of the program alone on Windows, and of its supervisor elsewhere', () => {
    expect(transportOn('win32').started).toMatchObject({ command: 'server', args: ['-x'] });
    const { started } = transportOn('linux');
    expect(started.command).not.toBe('server');
    expect(started.args.slice(1)).toEqual([String(process.pid), 'server', '-x']);
  });
});

it('no program is started by a client without commands, or when its command has changed', async () => {
  const command = { kind: 'command', program: 'server', args: [], variables: [], folder: '/tmp' } as const;
  const opening = (commands: { env: object; platform: string } | undefined) =>
    openCommand(
      { system, client: { name: 'test', version: '1' }, commands, known: {} } as never,
      { app: panelApp({}), command, secrets: createSecrets() } as never,
      new AbortController().signal,
    );
  await expect(opening(undefined)).rejects.toEqual(refused('not-offered'));
  await expect(opening({ env: {}, platform: 'linux' })).rejects.toEqual(refused('command-refused'));
});
