import { describe, expect, it } from 'vitest';
import { repairMessages, repairResult } from '../../../src/calls/lenient/repair-message.ts';
import { openCalls } from '../../support/calls.ts';
import { event, type Play, text } from '../../support/mcp-server.ts';
import { refused } from '../../support/refused.ts';

const GOOD = { type: 'text', text: 'good' };
const LOST = { type: 'text', text: expect.stringContaining('Part 2 of the answer is malformed') };

/** Malformed content blocks. */
const MALFORMED: readonly (readonly [string, unknown])[] = [
  ['a type that MCP does not have', { type: 'video', data: 'AAAA', mimeType: 'video/mp4' }],
  ['no type', { text: 'x' }],
  ['a text that is a number', { type: 'text', text: 5 }],
  ['a text that is missing', { type: 'text' }],
  ['a picture without its type', { type: 'image', data: 'AAAA' }],
  ['a picture that is not base64', { type: 'image', data: '%%%', mimeType: 'image/png' }],
  ['a link without an address', { type: 'resource_link', name: 'x' }],
  ['a resource without text and bytes', { type: 'resource', resource: { uri: 'x:y' } }],
  ['a string', 'hello'],
  ['null', null],
  ['a list', [GOOD]],
];

/** The same answer as JSON, and as an event of a stream. */
const WAYS: readonly (readonly [string, (result: object) => Play])[] = [
  ['JSON', (result) => () => result],
  [
    'a stream',
    (result) =>
      ({ response, message }) => {
        event(response, { jsonrpc: '2.0', id: message.id, result });
        response.end();
        return undefined;
      },
  ],
];

describe.each(WAYS)('a result as %s', (_way, playing) => {
  it.each(MALFORMED)('loses only the malformed block: %s', async (_what, block) => {
    const { call } = await openCalls(
      playing({ content: [GOOD, block, GOOD], structuredContent: { a: 1 }, isError: true }),
    );
    expect(await call('plain')).toEqual({
      isError: true,
      parts: [GOOD, LOST, GOOD],
      structured: { a: 1 },
      files: [],
    });
  });
});

describe('a result', () => {
  it.each([
    ['annotations', { annotations: { priority: 'high' } }],
    ['icons', { icons: 'none' }],
    ['_meta fields', { _meta: [] }],
  ])('keeps a block whose %s are malformed', async (_what, extra) => {
    const { call } = await openCalls(() => ({ content: [{ ...GOOD, ...extra }] }));
    expect((await call('plain')).parts).toEqual([GOOD]);
  });

  it('keeps its texts when its structure is malformed', async () => {
    const { call } = await openCalls(() => ({ ...text('good'), structuredContent: [1] }));
    const { parts, structured } = await call('plain');
    expect(structured).toBeNull();
    expect(parts).toEqual([
      GOOD,
      { type: 'text', text: expect.stringContaining('structured part of the answer is malformed') },
    ]);
  });

  it.each([
    [{ structuredContent: null }, false],
    [{ isError: null }, false],
    [{ isError: 'false' }, false],
    [{ isError: 'true' }, true],
    [{ isError: 1 }, true],
  ])('with %j is read', async (extra, isError) => {
    const { call } = await openCalls(() => ({ ...text('good'), ...extra }));
    expect(await call('plain')).toEqual({ isError, parts: [GOOD], structured: null, files: [] });
  });

  it('without a list of blocks is refused', async () => {
    const { call } = await openCalls(() => ({ content: 'x' }));
    await expect(call('plain')).rejects.toEqual(refused('server-failed'));
  });

  it('of another method is not changed', () => {
    const result = { roots: [], content: 'x' };
    expect(repairResult(result)).toBe(result);
  });
});

const GOOD_TOOL = {
  name: 'confirmed',
  description: 'Asks.',
  inputSchema: { type: 'object', properties: { board: { type: 'string' } }, required: ['board'] },
};

/** Opens an app whose server answers one method with a result as it is. */
async function answering(method: string, result: unknown) {
  const opened = await openCalls(() => text('ok'), {
    server: {
      tools: [GOOD_TOOL],
      before({ message, response }) {
        if (message.method !== method) return false;
        response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
        return true;
      },
    },
  });
  const told = () => opened.told.flatMap((told) => (told.type === 'server-repaired' ? [told.what] : []));
  // Without the tools of the manifest that the server does not have.
  const repaired = (all: readonly string[]) => all.filter((what) => !what.includes('(tools.served)'));
  return { ...opened, repaired, repairs: () => repaired(told()) };
}

describe('a list of tools', () => {
  it.each<[string, unknown]>([
    ['an empty schema', { name: 'plain', inputSchema: {} }],
    ['a schema that is null', { name: 'plain', inputSchema: null }],
    ['no schema', { name: 'plain' }],
    ['a schema that is a boolean', { name: 'plain', inputSchema: true }],
    ['a schema of another type', { name: 'plain', inputSchema: { type: ['object', 'null'] } }],
    [
      'a schema whose properties are null',
      { name: 'plain', inputSchema: { type: 'object', properties: null } },
    ],
    ['required null', { name: 'plain', inputSchema: { type: 'object', required: null } }],
    [
      'alternatives at the top',
      { name: 'plain', inputSchema: { anyOf: [{ type: 'object' }, { type: 'object' }] } },
    ],
    ...['title', 'description', 'annotations', 'outputSchema', 'icons', '_meta', 'execution'].map(
      (field): [string, unknown] => [
        `${field} null`,
        { name: 'plain', inputSchema: { type: 'object' }, [field]: null },
      ],
    ),
    [
      'an output schema that is no object',
      { name: 'plain', inputSchema: { type: 'object' }, outputSchema: 'x' },
    ],
    [
      'annotations of other types',
      { name: 'plain', inputSchema: { type: 'object' }, annotations: { readOnlyHint: 'yes' } },
    ],
  ])('keeps a tool with %s and says so', async (_what, tool) => {
    const { calls, app, repairs, repaired } = await answering('tools/list', { tools: [tool, GOOD_TOOL] });
    const tools = await calls.tools(app);
    expect(tools.map(({ id }) => id)).toEqual(['plain', 'confirmed']);
    expect(tools[1]?.inputSchema).toMatchObject({ required: ['board'] });
    expect(tools[0]?.inputSchema).toMatchObject({ type: 'object' });
    expect(repairs()).toEqual([expect.stringContaining('The tool "plain" was repaired')]);
    expect(repaired(calls.toolsNow(app).repairs)).toEqual(repairs());
  });

  it.each([null, 5, {}, { name: 5, inputSchema: { type: 'object' } }, []])(
    'drops %j alone, and says so',
    async (entry) => {
      const { calls, app, repairs } = await answering('tools/list', { tools: [entry, GOOD_TOOL] });
      expect((await calls.tools(app)).map(({ id }) => id)).toEqual(['confirmed']);
      expect(repairs()).toContainEqual(expect.stringMatching(/^The tool .*was left out/));
    },
  );

  it.each([null, '', 0, {}])('ends at nextCursor %j', async (nextCursor) => {
    const { calls, app } = await answering('tools/list', { tools: [GOOD_TOOL], nextCursor });
    expect(await calls.tools(app)).toHaveLength(1);
  });

  it('with schemas that few servers use is passed on as it is', async () => {
    const properties = {
      any: true,
      none: false,
      one: { $ref: '#/$defs/x' },
      many: { type: ['string', 'null'] },
    };
    const inputSchema = { type: 'object', properties, $defs: { x: { type: 'number' } } };
    const { calls, app, repairs } = await answering('tools/list', {
      tools: [{ name: 'plain', inputSchema }],
    });
    expect((await calls.tools(app))[0]?.inputSchema).toEqual(inputSchema);
    expect(repairs()).toEqual([]);
  });
});

describe('a handshake', () => {
  const FINE = {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'h', version: '1' },
  };

  it.each<[string, unknown]>([
    ['no version', { ...FINE, serverInfo: { name: 'hister' } }],
    ['no name', { ...FINE, serverInfo: {} }],
    ['no serverInfo', { protocolVersion: '2025-11-25', capabilities: { tools: {} } }],
    ['a title that is null', { ...FINE, serverInfo: { name: 'h', version: '1', title: null } }],
    ['instructions that are null', { ...FINE, instructions: null }],
    ['capabilities that are null', { ...FINE, capabilities: { tools: {}, prompts: null, logging: null } }],
    ['a capability that is true', { ...FINE, capabilities: { tools: true } }],
    ['no capabilities', { protocolVersion: '2025-11-25', serverInfo: { name: 'h', version: '1' } }],
    ['_meta that is null', { ...FINE, _meta: null }],
  ])('with %s opens the session', async (_what, result) => {
    const { calls, app, call } = await answering('initialize', result);
    expect((await calls.tools(app)).map(({ id }) => id)).toEqual(['confirmed']);
    expect(await call('plain')).toMatchObject({ isError: false });
  });
});

it('keeps what is sent back to the server as it came, and cleans what is read', () => {
  const [sent, read] = ['a\u200bb', 'c\u200bd'];
  const params = {
    ...{
      taskId: sent,
      nextCursor: sent,
      requestState: sent,
      uri: sent,
      requestId: sent,
      progressToken: sent,
    },
    tools: [{ name: sent }],
    prompts: [{ name: sent, arguments: [{ name: sent }] }],
    resources: [{ uri: sent }],
    resourceTemplates: [{ uriTemplate: sent }],
    content: [{ data: sent, resource: { blob: sent } }],
    contents: [{ blob: sent }],
    messages: [{ content: { data: sent, resource: { blob: sent } } }],
  };
  const task = { taskId: sent, statusMessage: read };
  const message = { params: structuredClone({ ...params, task }) };
  repairMessages()(message);
  expect(message.params).toMatchObject({ ...params, task: { taskId: sent } });
  expect(message.params.task.statusMessage).not.toBe(read);
});
