import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it, vi } from 'vitest';
import type { CallRequest, CallResult, InstalledApp } from '../../../src/index.ts';
import { RuntimeError } from '../../../src/index.ts';
import type { PanelsDeps } from '../../../src/parts.ts';
import { panelApp } from '../../support/panel-app.ts';
import { toolAnswer } from '../../support/panel-world.ts';
import { openFor, testPanels } from '../../support/panels.ts';
import { tempFolder } from '../../support/temp-folder.ts';

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
