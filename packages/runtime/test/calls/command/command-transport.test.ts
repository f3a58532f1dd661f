import { DEEP } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { isAlive, openCommandCalls, pidsIn, SECRET } from '../../support/local-connectors.ts';
import { refused } from '../../support/refused.ts';

const textOf = ({ parts }: { parts: readonly unknown[] }): string => (parts[0] as { text: string }).text;

describe('the program of a connector', () => {
  it('gets its arguments as they are, its folder, and no variable that the user did not name', async () => {
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

  it('is started once for many calls, and ends with the last connection', async () => {
    const { calls, call, app, record } = await openCommandCalls();
    expect(await calls.tools(app)).toContainEqual(expect.objectContaining({ id: 'wait', account: null }));
    await Promise.all([call('environment'), call('environment')]);
    expect(pidsIn(record)).toHaveLength(1);
    await calls.close(app.appId);
    expect(pidsIn(record).filter(isAlive)).toEqual([]);
    await call('environment');
    expect(pidsIn(record)).toHaveLength(2);
    await calls.stop();
    expect(pidsIn(record).filter(isAlive)).toEqual([]);
  });

  it('may speak the newer revision of MCP alone', DEEP, async () => {
    const { calls, call, app, record } = await openCommandCalls({ wild: 'modern' });
    expect(await calls.tools(app)).not.toEqual([]);
    expect(JSON.parse(textOf(await call('environment'))).args).toEqual([record, 'modern']);
    await calls.close(app.appId);
    await call('environment');
    // Asked in the older way, then in the newer one, which is remembered.
    expect(pidsIn(record)).toHaveLength(3);
  });

  it('that leaves in the middle of a call ends it, is not asked twice, and is started for the next', async () => {
    const { call, record, faults } = await openCommandCalls();
    await expect(call('leave')).rejects.toEqual(refused('server-failed'));
    expect(pidsIn(record)).toHaveLength(1);
    await call('environment');
    expect(pidsIn(record)).toHaveLength(2);
    expect(faults).toHaveLength(1);
  });

  it('has what it complained of logged in part, escaped and without its secrets, and shown to no agent', async () => {
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

  it('that echoes a variable that it was given has it taken out of its answers', async () => {
    const { call } = await openCommandCalls({ command: { variables: ['SVC_TEST_TOKEN'] } });
    expect(textOf(await call('say-token'))).toBe('The token is [secret].');
  });

  it.each([
    ['wait', 1_500, 'too-slow'],
    ['pour', 60_000, 'too-large'],
    ['garbage', 60_000, 'too-large'],
    ['huge', 60_000, 'too-large'],
  ])('that does %s is ended, and started again for the next call', DEEP, async (tool, ms, code) => {
    const { call, record } = await openCommandCalls();
    await call('environment');
    await expect(call(tool, ms)).rejects.toEqual(refused(code));
    await expect.poll(() => pidsIn(record).filter(isAlive)).toEqual([]);
    await call('environment');
    expect(pidsIn(record)).toHaveLength(2);
  });

  it.each([
    ['flood', 'too-large'],
    ['no-server', 'server-failed'],
  ])('that begins with %s is none, and is ended', DEEP, async (wild, code) => {
    const { calls, app, record } = await openCommandCalls({ wild });
    await expect(calls.tools(app)).rejects.toEqual(refused(code));
    await expect.poll(() => pidsIn(record).filter(isAlive)).toEqual([]);
  });

  it('that never answers is ended when its caller gives up', async () => {
    const { calls, app, record } = await openCommandCalls({ wild: 'silent' });
    const caller = new AbortController();
    const listing = calls.tools(app, { signal: caller.signal }).catch((error: unknown) => error);
    await expect.poll(() => pidsIn(record).length).toBe(1);
    caller.abort(new Error('enough'));
    expect(await listing).toMatchObject({ message: 'enough' });
    await expect.poll(() => pidsIn(record).filter(isAlive)).toEqual([]);
  });

  it('that does not end when it is asked to is killed, with what it started', DEEP, async () => {
    const { calls, call, app, record } = await openCommandCalls();
    await call('cling');
    expect(pidsIn(record).filter(isAlive)).toHaveLength(2);
    await calls.close(app.appId);
    await expect.poll(() => pidsIn(record).filter(isAlive)).toEqual([]);
  });

  it('that is not there is a failure of the connector', async () => {
    const { call } = await openCommandCalls({ command: { program: '/no/such/program' } });
    await expect(call('environment')).rejects.toEqual(refused('server-failed'));
  });
});
