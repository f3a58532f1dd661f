import { readFileSync } from 'node:fs';
import { DEEP } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CommandTransport } from '../../../src/calls/command/command-transport.ts';
import { isAlive, openCommandCalls, pidsIn, SECRET, testCommand } from '../../support/local-connectors.ts';
import { refused } from '../../support/refused.ts';
import { system } from '../../support/system.ts';

const textOf = ({ parts }: { parts: readonly unknown[] }): string => (parts[0] as { text: string }).text;

describe('the program of a connector', () => {
  it('receives its arguments unchanged, its folder, the usual environment, and only the other variables that the user named', async () => {
    const { call, folder, record } = await openCommandCalls({
      command: { variables: ['SVC_NAMED', 'SVC_MISSING'] },
      env: { SVC_NAMED: 'named', AWS_SECRET_ACCESS_KEY: 'not for it', NODE_OPTIONS: '--no-warnings' },
    });
    const { env, ...rest } = JSON.parse(textOf(await call('environment')));
    expect(rest).toEqual({ folder, args: [record, ''] });
    expect(env).toMatchObject({ SVC_NAMED: 'named', PATH: process.env.PATH });
    const usual = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'SVC_NAMED'];
    expect(Object.keys(env).filter((name) => !usual.includes(name))).toEqual([]);
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

  it.each([
    ['wait', 1_500, 'too-slow'],
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

  it('that does not exist fails the call', async () => {
    const { call } = await openCommandCalls({ command: { program: '/no/such/program' } });
    await expect(call('environment')).rejects.toEqual(refused('server-failed'));
  });
});
