import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it, vi } from 'vitest';
import { openFor, testPanels } from '../../support/panels.ts';

describe('the accounts of a panel', () => {
  it('are those that the manifest declares, with four fields each', async () => {
    const test = testPanels();
    const entry = { id: 'notes', label: 'Notes', connected: true, expiresAt: '2026-01-01T00:00:00.000Z' };
    const undeclared = { ...entry, id: 'of-another' };
    test.accounts.list.mockResolvedValue([{ ...entry, token: 'secret' }, undeclared] as never);
    const { ask } = await openFor(test);
    expect((await ask('accounts/list')).result).toEqual({ accounts: [entry] });
    expect(test.accounts.list).toHaveBeenCalledWith(expect.objectContaining({ appId: 'com.example.notes' }));
  });

  it.each(['unknown', '__proto__', 'constructor', 'com.example.other/notes', ''])(
    'are refused when the manifest does not declare them: %j',
    async (account) => {
      const test = testPanels();
      const { ask } = await openFor(test);
      for (const name of ['accounts/token', 'accounts/connect']) {
        expect((await ask(name, { account })).error?.data?.code).toBe('unknown-account');
      }
      expect(test.accounts.token).not.toHaveBeenCalled();
      expect(test.client.ask).not.toHaveBeenCalled();
    },
  );

  it('return a token that is requested each time, with a record of its use by the panel', async () => {
    const test = testPanels();
    const { ask } = await openFor(test);
    expect((await ask('accounts/token', { account: 'notes' })).result).toEqual({ accessToken: 'token' });
    await ask('accounts/token', { account: 'notes' });
    expect(test.accounts.token).toHaveBeenCalledTimes(2);
    expect(test.accounts.token).toHaveBeenCalledWith(
      expect.objectContaining({ appId: 'com.example.notes' }),
      'notes',
      {
        host: 'panel',
        tool: 'main',
      },
    );
    test.state.token = null;
    expect((await ask('accounts/token', { account: 'notes' })).error?.data?.code).toBe('not-connected');
  });

  it('return no token before the browser has shown that it enforces the allowlist', async () => {
    const test = testPanels();
    test.client.tokens = 'confined';
    const { panel, ask } = await openFor(test);
    const token = async () => {
      const { result, error } = await ask('accounts/token', { account: 'notes' });
      return error?.data?.code ?? result;
    };
    const served = (address: string) => test.panels.serve(new Request(address));
    const { address } = panel.frame;
    const page = await served(address).text();
    const [open = '', shut = ''] = ['open', 'shut'].map(
      (name) => new RegExp(`data-${name}="([\\w-]{22})"`).exec(page)?.[1],
    );
    expect(await token()).toBe('token-withheld');
    expect(test.accounts.token).not.toHaveBeenCalled();
    const at = (name: string) => new URL(name, address).href;
    expect(served(at(open)).status).toBe(204);
    expect(await token()).toBe('token-withheld');
    served(at(open));
    expect(await token()).toEqual({ accessToken: 'token' });
    // One request to the other name is enough, at any time.
    served(at(shut));
    expect(await token()).toBe('token-withheld');
  });

  it('are connected only when the user accepts', async () => {
    const test = testPanels();
    const { ask } = await openFor(test);
    test.state.answer = { accepted: false };
    expect((await ask('accounts/connect', { account: 'notes' })).error?.data?.code).toBe('declined');
    expect(test.accounts.connect).not.toHaveBeenCalled();
    test.state.answer = { accepted: true };
    expect((await ask('accounts/connect', { account: 'notes' })).result).toEqual({});
    expect(test.accounts.connect).toHaveBeenCalledTimes(1);
    expect(test.client.ask.mock.calls[0]).toMatchObject([
      {
        kind: 'connect',
        host: 'auth.example.test',
        app: { appId: 'com.example.notes', publisher: 'example' },
      },
      expect.any(AbortSignal),
    ]);
  });

  it('cannot be used to flood the user with cards and file pickers', async () => {
    const test = testPanels();
    test.state.answer = { accepted: false };
    const { ask } = await openFor(test);
    const connect = () => ask('accounts/connect', { account: 'notes' });
    const codes = await Promise.all([connect(), connect(), connect()]);
    expect(codes.map(({ error }) => error?.data?.code)).toEqual(['declined', 'too-many', 'too-many']);
    for (let i = 0; i < 10; i += 1) await connect();
    await ask('files/pick');
    expect(test.client.ask.mock.calls.length + test.client.pickFiles.mock.calls.length).toBe(5);
    test.state.time += 10_000;
    await connect();
    expect(test.client.ask.mock.calls.length + test.client.pickFiles.mock.calls.length).toBe(6);
  });

  it('are not available once the app may not run', async () => {
    const test = testPanels();
    const { ask } = await openFor(test);
    test.client.ask.mockImplementation(async () => {
      test.state.mayRun = false;
      return { accepted: true };
    });
    expect((await ask('accounts/connect', { account: 'notes' })).error?.data?.code).toBe('switched-off');
    expect((await ask('accounts/token', { account: 'notes' })).error?.data?.code).toBe('switched-off');
    expect(test.accounts.connect).not.toHaveBeenCalled();
    expect(test.accounts.token).not.toHaveBeenCalled();
  });

  it('are not connected for a panel that was closed, and its card is aborted', async () => {
    const test = testPanels();
    const { panel, say } = await openFor(test);
    const asked = vi.fn();
    test.client.ask.mockImplementation((async (_card: unknown, signal: AbortSignal) => {
      signal.addEventListener('abort', asked);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return { accepted: true };
    }) as never);
    say({ id: 1, method: 'accounts/connect', params: { account: 'notes' } });
    await eventually(() => expect(test.client.ask).toHaveBeenCalled());
    await panel.close('gone');
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toHaveBeenCalled();
    expect(test.accounts.connect).not.toHaveBeenCalled();
  });
});
