import { describe, expect, it } from 'vitest';
import { repairMessages, repairResult } from '../../../src/calls/lenient/repair-message.ts';
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

  it('of another method is not changed', () => {
    const result = { roots: [] };
    expect(repairResult(result)).toBe(result);
  });
});

/** What is read of a result, and what is said of it. */
function read(given: unknown): [result: unknown, notes: string[]] {
  const notes: string[] = [];
  return [repairResult(given, (what) => notes.push(what)), notes];
}

const left = (part: number) => `[Part ${part} of the answer is malformed and was left out.]`;
const lost = (part: number) => ({ type: 'text', text: left(part) });
const isLeftOut = (part: number, what = 'it') =>
  `Part ${part} of the answer was left out: ${what} is malformed.`;
const noContent = (part: number) => `Part ${part} of the answer was left out: it is no content of MCP.`;
const COMPLETE = { resultType: 'complete' };
const UNCACHED = { ...COMPLETE, ttlMs: 0, cacheScope: 'private' };

/** Results as servers send them, how they are read, and what is said of each. */
const READ: readonly (readonly [string, unknown, unknown, string[]?])[] = [
  [
    'media',
    { content: ['image', 'audio'].map((type) => ({ type, data: 'AA+/', mimeType: 'x/y', _meta: { a: 1 } })) },
    {
      ...COMPLETE,
      content: ['image', 'audio'].map((type) => ({ type, data: 'AA+/', mimeType: 'x/y', _meta: { a: 1 } })),
    },
  ],
  [
    'media whose data is no base64',
    {
      content: [[], 'AAAAA', '%%%%', 'AA=A'].map((data) => ({ type: 'image', data, mimeType: 'image/png' })),
    },
    { ...COMPLETE, content: [lost(1), lost(2), lost(3), lost(4)] },
    [1, 2, 3, 4].map((part) => isLeftOut(part, '"data"')),
  ],
  [
    'media without a type',
    { content: [{ type: 'audio', data: 'AAAA' }] },
    { ...COMPLETE, content: [{ type: 'audio', data: 'AAAA', mimeType: 'application/octet-stream' }] },
  ],
  [
    'a block with media and malformed fields',
    { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png', annotations: 5 }] },
    { ...COMPLETE, content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] },
    ['Part 1 of the answer was repaired: "annotations" is malformed.'],
  ],
  [
    'blocks that are malformed, of no known type, and fine',
    { content: [{ type: 'text' }, { type: 'video' }, null, GOOD] },
    { ...COMPLETE, content: [lost(1), { type: 'text', text: '{"type":"video"}' }, lost(3), GOOD] },
    [isLeftOut(1, '"text"'), 'Part 2 of the answer was repaired: its type is none of MCP.', noContent(3)],
  ],
  [
    'a structured part that is malformed',
    { content: [GOOD], structuredContent: 5, isError: false },
    {
      ...COMPLETE,
      content: [
        GOOD,
        { type: 'text', text: '[The structured part of the answer is malformed and was left out.]' },
      ],
      isError: false,
    },
    ['The structured part of the answer is malformed and was left out.'],
  ],
  [
    'a list with a cursor, that may be cached',
    { prompts: [{ name: 'n' }], nextCursor: 'n', ttlMs: 5, cacheScope: 'public' },
    { ...COMPLETE, prompts: [{ name: 'n' }], nextCursor: 'n', ttlMs: 5, cacheScope: 'public' },
  ],
  [
    'a list whose cursor and cache are malformed',
    { prompts: [], nextCursor: 5, ttlMs: -1, cacheScope: 'everyone' },
    { prompts: [], ...UNCACHED },
  ],
  ['a list that is cached for half a millisecond', { prompts: [], ttlMs: 0.5 }, { prompts: [], ...UNCACHED }],
  [
    'tools with schemas of no object',
    {
      tools: [
        { name: 'a', inputSchema: 'xy' },
        { name: 'b', inputSchema: { anyOf: [] } },
      ],
    },
    {
      ...UNCACHED,
      tools: [
        { name: 'a', inputSchema: { type: 'object' } },
        { name: 'b', inputSchema: { type: 'object', anyOf: [] } },
      ],
    },
    ['a', 'b'].map(
      (name) => `The tool "${name}" was repaired: its inputSchema is not the schema of an object.`,
    ),
  ],
  [
    'lists with malformed entries and fields',
    {
      resources: [{ uri: 'x:y', name: 'n', size: 'big', title: 5 }, { name: 'n' }],
      resourceTemplates: [{ uriTemplate: 'x:{y}', name: 'n' }, {}],
      prompts: [{ name: 'n' }, {}, 5],
    },
    {
      ...UNCACHED,
      resources: [{ uri: 'x:y', name: 'n' }],
      resourceTemplates: [{ uriTemplate: 'x:{y}', name: 'n' }],
      prompts: [{ name: 'n' }],
    },
    [
      'The resource "n" was repaired: "title", "size" are malformed.',
      'The resource "n" was left out: "uri" is malformed.',
      'The resource template 2 was left out: "name" is malformed.',
      'The prompt 2 was left out: "name" is malformed.',
      'The prompt 3 was left out: it is malformed.',
    ],
  ],
  [
    'the parts of a resource',
    {
      contents: [
        { uri: 'x:y', text: 'a', mimeType: 5 },
        { uri: 'x:y', blob: 'AAAA' },
        { uri: 'x:y' },
        { uri: 'x:y', blob: '%%%' },
        5,
        { uri: 'x:y', text: 'a', blob: null },
        { text: null, blob: 'data:;base64,AA' },
      ],
    },
    {
      ...UNCACHED,
      contents: [
        { uri: 'x:y', text: 'a' },
        { uri: 'x:y', blob: 'AAAA' },
        ...[3, 4, 5].map((part) => ({ uri: 'malformed:', text: left(part) })),
        { uri: 'x:y', text: 'a' },
        { uri: '', blob: 'AA==' },
      ],
    },
    [
      'Part 1 of the answer was repaired: "mimeType" is malformed.',
      isLeftOut(3, '"text"'),
      isLeftOut(4, '"blob"'),
      isLeftOut(5),
    ],
  ],
  [
    'the messages of a prompt, none of which is of the system',
    {
      messages: [
        ...['user', 'assistant', 'system', ''].map((role) => ({ role, content: GOOD })),
        { role: 'user' },
        5,
        null,
        { role: 'user', content: 'good' },
        { role: 'user', content: [GOOD, 'good'] },
      ],
      description: null,
    },
    {
      ...UNCACHED,
      messages: [
        { role: 'user', content: GOOD },
        { role: 'assistant', content: GOOD },
        ...[3, 4, 5, 6, 7].map((part) => ({ role: 'user', content: lost(part) })),
        ...[8, 9, 9].map(() => ({ role: 'user', content: GOOD })),
      ],
    },
    [
      ...[3, 4, 5, 6, 7].map(noContent),
      ...[8, 9].map((part) => `Part ${part} of the answer was repaired: its type is none of MCP.`),
    ],
  ],
  [
    'a handshake with capabilities that are true',
    {
      protocolVersion: '2025-11-25',
      capabilities: { resources: { subscribe: true }, tools: true },
      serverInfo: { name: 'h', version: '1', title: 'T' },
    },
    {
      protocolVersion: '2025-11-25',
      capabilities: { resources: { subscribe: true }, tools: {} },
      serverInfo: { name: 'h', version: '1', title: 'T' },
    },
  ],
  [
    'a handshake without a name, a version and capabilities',
    { protocolVersion: '2025-11-25', serverInfo: { title: 'T' }, instructions: 5 },
    {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: '', version: '', title: 'T' },
    },
    [
      'The server does not say its name (serverInfo.name).',
      'The server does not say its version (serverInfo.version).',
      'The handshake was repaired: "instructions" is malformed.',
    ],
  ],
  [
    'lists that are one part alone, or null',
    { messages: 'good', contents: null, tools: { name: 'a', inputSchema: { type: 'object' } } },
    {
      ...UNCACHED,
      messages: [{ role: 'user', content: GOOD }],
      contents: [],
      tools: [{ name: 'a', inputSchema: { type: 'object' } }],
    },
    ['Part 1 of the answer was repaired: its type is none of MCP.'],
  ],
  [
    'suggestions with nulls',
    { completion: { values: ['a', 5], total: null, hasMore: null } },
    { completion: { values: ['a'] } },
    [
      'The list of suggestions was repaired: "completion.values.1", "completion.total", "completion.hasMore" are malformed.',
    ],
  ],
  [
    'no suggestions',
    { completion: { values: null } },
    { completion: { values: [] } },
    ['The list of suggestions was left out: "completion" is malformed.'],
  ],
  [
    'a result that waits for the user',
    {
      resultType: 'input_required',
      inputRequests: {
        a: { method: 'elicitation/create', params: { message: 'm', requestedSchema: {} } },
        b: 5,
      },
    },
    {
      resultType: 'input_required',
      inputRequests: {
        a: {
          method: 'elicitation/create',
          params: { message: 'm', requestedSchema: { type: 'object', properties: {}, required: [] } },
        },
        b: 5,
      },
    },
  ],
  ...(
    [
      ['a revision that is not known', { protocolVersion: '2099-01-01' }, { tools: {} }],
      ['no revision', { protocolVersion: undefined }, { tools: {} }],
      ['no capabilities', { capabilities: {} }, { tools: {} }],
      ['capabilities that PHP writes as a list', { capabilities: [] }, { tools: {} }],
      ['a list of tools as a capability', { capabilities: { tools: [{}] } }, { tools: {} }],
      ['no offer', { capabilities: { logging: {}, tools: null } }, { tools: {}, logging: {} }],
      ['another offer', { capabilities: { prompts: {}, tools: null } }, { prompts: {} }],
    ] as const
  ).map(([what, more, capabilities]): (typeof READ)[number] => [
    `a handshake with ${what}`,
    { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'h', version: '1' }, ...more },
    { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'h', version: '1' } },
    'protocolVersion' in more
      ? [`The server names "${more.protocolVersion}" as the revision of MCP, which is not known.`]
      : [],
  ]),
  [
    'a discovery',
    { supportedVersions: ['2026-07-28'], capabilities: { tools: true }, instructions: 5 },
    { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
    ['The handshake was repaired: "instructions" is malformed.'],
  ],
];

it.each(READ)('reads %s', (_what, given, expected, notes = []) => {
  const [result, said] = read(given);
  expect(result).toEqual(expected);
  expect(said).toEqual(notes);
});

it.each([null, 'x', [], { roots: [] }])('leaves %j as it is', (given) => {
  expect(read(given)).toEqual([given, []]);
});

it('changes the parts of a message that it has', () => {
  const message = { error: { code: 1, message: 'a\u200bb' } };
  repairMessages()(message);
  expect(message).toStrictEqual({ error: { code: 1, message: 'ab' } });
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

it('what is well-formed of a list and of a handshake stays, without a note', () => {
  const notes: string[] = [];
  const note = (what: string) => void notes.push(what);
  const schema = { type: 'object' };
  const tools = [{ name: 'plain', inputSchema: schema, outputSchema: schema }];
  expect(repairResult({ tools, _meta: { tenant: 7 } }, note)).toMatchObject({ tools, _meta: { tenant: 7 } });
  const handshake = { capabilities: { tools: {} }, serverInfo: { name: 'a', version: '1' } };
  const dated = { ...handshake, protocolVersion: '2025-03-26' };
  expect(repairResult(dated, note)).toEqual(dated);
  expect(notes).toEqual([]);
  expect(repairResult(handshake, note)).toMatchObject({ ...handshake, protocolVersion: expect.any(String) });
});
