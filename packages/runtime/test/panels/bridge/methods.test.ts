import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from '@svc/contracts';
import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it, vi } from 'vitest';
import { type CallRequest, type CallResult, type InstalledApp, RuntimeError } from '../../../src/index.ts';
import type { PanelsDeps } from '../../../src/parts.ts';
import { panelApp } from '../../support/panel-app.ts';
import { toolAnswer } from '../../support/panel-world.ts';
import { openFor, testPanels } from '../../support/panels.ts';
import { tempFolder } from '../../support/temp-folder.ts';

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
    const test = testPanels({}, 'confined');
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
    test.state.answer = { accepted: true };
    for (let i = 0; i < 10; i += 1) await connect();
    await ask('files/pick');
    expect(test.client.ask.mock.calls.length + test.client.pickFiles.mock.calls.length).toBe(5);
    test.state.time += 10_000;
    await connect();
    expect(test.client.ask.mock.calls.length + test.client.pickFiles.mock.calls.length).toBe(6);
    test.state.answer = { accepted: false };
    for (let i = 0; i < 5; i += 1) {
      test.state.time += 10_000;
      await connect();
    }
    // After the third that the user declines, no card is shown.
    expect(test.client.ask.mock.calls.length + test.client.pickFiles.mock.calls.length).toBe(8);
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

const picture = (name = 'a.png', bytes = 3) => ({ name, type: 'image/png', bytes: new Uint8Array(bytes) });
type Handle = { id: string; name: string; url: string };

describe('the files of a panel', () => {
  it('are handles of the files that the user picked, with the bytes on the origin of the panel', async () => {
    const test = testPanels();
    const { ask, panel } = await openFor(test);
    test.state.picked = [picture()];
    const { result } = await ask('files/pick', { accept: ['image/*'] });
    const [file] = (result as { files: Handle[] }).files;
    expect(result).toEqual({
      files: [
        {
          id: expect.stringMatching(/^[\w-]{22}$/),
          name: 'a.png',
          type: 'image/png',
          size: 3,
          url: expect.any(String),
        },
      ],
    });
    expect(new URL(file?.url ?? '').origin).toBe(panel.frame.origin.replace('frame-', ''));
    expect(test.client.pickFiles.mock.calls[0]?.slice(1, 2)).toEqual([
      { accept: ['image/*'], multiple: false },
    ]);
    test.state.picked = [];
    expect((await ask('files/pick')).result).toEqual({ files: [] });
  });

  it('are refused when their type, number or size does not match the request of the panel', async () => {
    const test = testPanels();
    const { ask } = await openFor(test);
    const pick = async (params: object) => (await ask('files/pick', params)).error?.data?.code;
    test.state.picked = [picture()];
    expect(await pick({ accept: ['text/*', 'image/pngx', 'image/p'] })).toBe('file-refused');
    test.state.picked = [picture(), picture('b.png')];
    expect(await pick({})).toBe('file-refused');
    test.state.picked = [picture('c.png', LIMITS.file.maxBytes + 1)];
    expect(await pick({})).toBe('too-large');
  });

  it('need the grants of the current manifest, and a client that offers files', async () => {
    const granted = panelApp();
    const without = { ...granted, manifest: { ...granted.manifest, grants: [] } };
    const test = testPanels();
    const { ask } = await openFor(test, without);
    const resize = { file: 'none', request: { op: 'resize', width: 1 } };
    expect((await ask('files/pick')).error?.data?.code).toBe('not-granted');
    expect((await ask('media/run', resize)).error?.data?.code).toBe('not-granted');
    expect((await ask('ui/initialize')).result).toMatchObject({ hostCapabilities: { accounts: {} } });
    expect(JSON.stringify((await ask('ui/initialize')).result)).not.toMatch(/"files"|"media"/);
    const { pickFiles: _pick, prepareMedia: _prepare, ...poor } = test.client;
    const plain = await openFor(testPanels({ client: poor }));
    expect((await plain.ask('files/pick')).error?.data?.code).toBe('not-offered');
    expect((await plain.ask('media/run', resize)).error?.data?.code).toBe('not-offered');
    expect((await plain.ask('files/save', { name: 'a' })).error?.data?.code).toBe('not-offered');
  });

  it('belong to one panel, and are changed only by operations of the contract', async () => {
    const test = testPanels();
    const [mine, other] = [await openFor(test), await openFor(test, panelApp({ id: 'com.example.other' }))];
    test.state.picked = [picture()];
    const { result } = await mine.ask('files/pick');
    const [file] = (result as { files: [Handle] }).files;
    const resize = { op: 'resize', width: 10 };
    expect((await other.ask('media/run', { file: file.id, request: resize })).error?.data?.code).toBe(
      'unknown-file',
    );
    expect((await other.ask('files/release', { file: file.id })).error?.data?.code).toBe('unknown-file');
    const made = await mine.ask('media/run', { file: file.id, request: resize });
    expect(made.result).toMatchObject({ file: { name: 'small-a.png' } });
    for (const request of [{ op: 'exec' }, { op: 'resize', width: 1e9 }, { op: 'crop', x: -1 }, 'resize']) {
      expect((await mine.ask('media/run', { file: file.id, request })).error?.code).toBe(-32_602);
    }
  });

  it('are limited in total size, and can be released', async () => {
    const test = testPanels();
    const { ask } = await openFor(test);
    test.state.picked = Array.from({ length: 8 }, () => picture('large.png', LIMITS.file.maxBytes));
    const { result } = await ask('files/pick', { multiple: true });
    test.state.picked = [picture()];
    expect((await ask('files/pick')).error?.data?.code).toBe('too-large');
    const [file] = (result as { files: [Handle] }).files;
    expect((await ask('files/release', { file: file.id })).result).toEqual({});
    expect((await ask('files/release', { file: file.id })).error?.data?.code).toBe('unknown-file');
    expect((await ask('files/pick')).result).toMatchObject({ files: [{ name: 'a.png' }] });
  });
});

const tool = (id: string, more: object = {}) => ({ id, name: id, description: id, ...more });

const app = panelApp({
  contributes: {
    ...panelApp().manifest.contributes,
    tools: [
      tool('plain'),
      tool('mine', { account: 'notes' }),
      tool('confirmed', { confirm: { title: 'Really?' } }),
    ],
  },
});

/** Panels with a mock of the function that calls tools. */
function withTools(changes: Partial<PanelsDeps> = {}) {
  const call = vi.fn(
    async (_app: InstalledApp, request: CallRequest): Promise<CallResult> => toolAnswer(request.tool),
  );
  return { call, test: testPanels({ call, ...changes }) };
}

const codeOf = (answer: { error?: { data?: { code: string } } }) => answer.error?.data?.code;

describe('the tools of a panel', () => {
  it('are those of its own app, and are called for its project and a chat of its own', async () => {
    const { call, test } = withTools();
    const [one, other] = [await openFor(test, app), await openFor(test, app)];
    const answer = await one.ask('tools/call', { name: 'plain', arguments: { a: [1] }, _meta: { any: 1 } });
    expect(answer.result).toEqual({ content: [{ type: 'text', text: 'plain' }], isError: false });
    await one.ask('tools/call', { name: 'plain' });
    await other.ask('tools/call', { name: 'plain' });
    const [first, second, third] = call.mock.calls.map(([, request]) => request);
    expect(call.mock.calls[0]?.[0]).toMatchObject({ appId: 'com.example.notes' });
    expect(first).toMatchObject({ tool: 'plain', arguments: { a: [1] }, files: {}, project: 'project-1' });
    expect(first?.signal).toBeInstanceOf(AbortSignal);
    expect(second?.chat).toBe(first?.chat);
    expect(third?.chat).not.toBe(first?.chat);
  });

  it.each([
    ['another app', { name: 'plain', app: 'com.example.other' }],
    ['another project', { name: 'plain', project: 'other' }],
    ['no name of a tool', { arguments: {} }],
    ['a list of arguments', { name: 'plain', arguments: [1] }],
    ['files that are not ids', { name: 'plain', files: { picture: [{ name: 'a' }] } }],
  ])('are not called with %s', async (_what, params) => {
    const { call, test } = withTools();
    const { ask } = await openFor(test, app);
    expect((await ask('tools/call', params)).error?.code).toBe(-32602);
    expect(call).not.toHaveBeenCalled();
  });

  it('accept only files that were handed to the panel', async () => {
    const { call, test } = withTools();
    const { ask } = await openFor(test, app);
    const bytes = new Uint8Array([1, 2]);
    test.state.picked = [{ name: 'a.png', type: 'image/png', bytes }];
    const { files } = (await ask('files/pick')).result as { files: { id: string }[] };
    await ask('tools/call', { name: 'plain', files: { picture: [files[0]?.id] } });
    expect(call.mock.calls[0]?.[1].files).toMatchObject({ picture: [{ name: 'a.png', bytes }] });
    const other = await openFor(test, app);
    const stolen = { name: 'plain', files: { picture: [files[0]?.id] } };
    expect(codeOf(await other.ask('tools/call', stolen))).toBe('unknown-file');
  });

  it('return files as files of the panel, up to its limit', async () => {
    const path = join(await tempFolder(), 'kept');
    writeFileSync(path, 'sheet');
    const file = { id: 'f', name: 'sheet.png', type: 'image/png', bytes: 5, sha256: 'x', path };
    const { test } = withTools({
      call: async () => ({ ...toolAnswer(''), parts: [{ type: 'file', file }], files: [file] }),
    });
    const { ask } = await openFor(test, app);
    const { content } = (await ask('tools/call', { name: 'plain' })).result as { content: { uri: string }[] };
    expect(content).toMatchObject([
      { type: 'resource_link', name: 'sheet.png', mimeType: 'image/png', size: 5 },
    ]);
    const served = test.panels.serve(new Request(content[0]?.uri ?? ''));
    expect(await served.text()).toBe('sheet');
    expect(JSON.stringify(content)).not.toContain(path);
    for (let i = 0; i < 31; i += 1) await ask('tools/call', { name: 'plain' });
    const full = (await ask('tools/call', { name: 'plain' })).result as { content: { text: string }[] };
    expect(full.content[0]?.text).toContain('was not handed to the panel');
  });

  it.each(['confirmed', 'mine'])(
    'show one card at a time, and a limited number of cards: %s',
    async (name) => {
      const { call, test } = withTools();
      test.accounts.list.mockResolvedValue([
        { id: 'notes', label: 'Notes', connected: false, expiresAt: null },
      ]);
      const { ask } = await openFor(test, app);
      const codes = await Promise.all([ask('tools/call', { name }), ask('tools/call', { name })]);
      expect(codes.map(codeOf)).toEqual([undefined, 'too-many']);
      for (let i = 0; i < 10; i += 1) await ask('tools/call', { name });
      expect(call).toHaveBeenCalledTimes(5);
      // A tool without a card is not limited.
      expect(codeOf(await ask('tools/call', { name: 'plain' }))).toBeUndefined();
    },
  );

  it('fail with the codes of the runtime, without the messages of its errors', async () => {
    const { call, test } = withTools();
    const { ask } = await openFor(test, app);
    call.mockRejectedValueOnce(new RuntimeError('unreachable', 'a secret'));
    const refused = await ask('tools/call', { name: 'plain' });
    expect(codeOf(refused)).toBe('unreachable');
    call.mockRejectedValueOnce(new Error('a secret'));
    const failed = await ask('tools/call', { name: 'plain' });
    expect(failed.error?.code).toBe(-32603);
    expect(JSON.stringify([refused, failed])).not.toContain('a secret');
    test.state.mayRun = false;
    expect(codeOf(await ask('tools/call', { name: 'plain' }))).toBe('switched-off');
  });

  it('are aborted when their panel is closed', async () => {
    const { call, test } = withTools();
    const { panel, say } = await openFor(test, app);
    call.mockImplementation(() => new Promise(() => {}));
    say({ id: 1, method: 'tools/call', params: { name: 'plain' } });
    await eventually(() => expect(call).toHaveBeenCalled());
    await panel.close('gone');
    expect(call.mock.calls[0]?.[1].signal?.aborted).toBe(true);
  });

  it('are not offered by a client that does not call tools', async () => {
    const { ask } = await openFor(testPanels(), app);
    expect(codeOf(await ask('tools/call', { name: 'plain' }))).toBe('not-offered');
    const { hostCapabilities } = (await ask('ui/initialize')).result as { hostCapabilities: object };
    expect(hostCapabilities).not.toHaveProperty('serverTools');
    const { test } = withTools();
    const offered = (await (await openFor(test, app)).ask('ui/initialize')).result;
    expect(offered).toMatchObject({ hostCapabilities: { serverTools: {} } });
  });
});
