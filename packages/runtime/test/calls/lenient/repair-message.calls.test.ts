import { describe, expect, it } from 'vitest';
import { openCalls } from '../../support/calls.ts';
import { text } from '../../support/mcp-server.ts';

const GOOD = { type: 'text', text: 'good' };

describe('a result', () => {
  it.each<[string, object, string]>([
    ['its structured part alone', { structuredContent: { a: 1 } }, '{"a":1}'],
    ['a value alone', { ok: true }, '{"ok":true}'],
    ['a value beside no blocks', { content: [], data: [1] }, '{"data":[1]}'],
    ['an empty list of blocks', { content: [], structuredContent: { a: 1 } }, '{"a":1}'],
    ['no list of blocks', { content: null, structuredContent: [1] }, '[1]'],
    ['the field of revision 2024-10-07', { toolResult: { a: 1 } }, '{"a":1}'],
  ])('with %s has it as text', async (_what, result, expected) => {
    const { call } = await openCalls(() => result);
    expect((await call('plain')).parts).toEqual([{ type: 'text', text: expected }]);
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
    [{ structuredContent: [] }, false],
    [{ isError: null }, false],
    [{ isError: 0 }, false],
    [{ isError: 'false' }, false],
    [{ isError: 'true' }, true],
    [{ isError: 1 }, true],
    [{ is_error: true }, true],
    [{ isError: false, is_error: true }, false],
  ])('with %j is read', async (extra, isError) => {
    const { call } = await openCalls(() => ({ ...text('good'), ...extra }));
    expect(await call('plain')).toEqual({ isError, parts: [GOOD], structured: null, files: [] });
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
      'an output schema of a list',
      { name: 'plain', inputSchema: { type: 'object' }, outputSchema: { type: 'array', items: {} } },
    ],
    [
      'alternatives of output',
      { name: 'plain', inputSchema: { type: 'object' }, outputSchema: { anyOf: [{ type: 'object' }] } },
    ],
    [
      'properties that PHP writes as a list',
      { name: 'plain', inputSchema: { type: 'object', properties: [] } },
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

  it.each([
    null,
    5,
    {},
    { name: 5, inputSchema: { type: 'object' } },
    [],
    { name: 'Create CIFS Share', inputSchema: { type: 'object' } },
    { name: 'x'.repeat(129) },
    { name: '' },
  ])('drops %j alone, and says so', async (entry) => {
    const { calls, app, repairs } = await answering('tools/list', { tools: [entry, GOOD_TOOL] });
    expect((await calls.tools(app)).map(({ id }) => id)).toEqual(['confirmed']);
    expect(repairs()).toContainEqual(expect.stringMatching(/^The tool .*was left out/));
  });

  it('that is null is empty', async () => {
    const { calls, app, repairs } = await answering('tools/list', { tools: null });
    expect(await calls.tools(app)).toEqual([]);
    expect(repairs()).toEqual([]);
  });

  it.each(['input_schema', 'parameters'])('reads the schema of a tool from %s', async (name) => {
    const inputSchema = { type: 'object', properties: { a: { type: 'string' } } };
    const { calls, app } = await answering('tools/list', { tools: [{ name: 'plain', [name]: inputSchema }] });
    expect((await calls.tools(app))[0]?.inputSchema).toEqual(inputSchema);
  });

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
    expect(await call('confirmed')).toMatchObject({ isError: false });
  });
});
