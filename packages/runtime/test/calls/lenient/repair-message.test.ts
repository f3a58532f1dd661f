import { describe, expect, it } from 'vitest';
import { repairMessages, repairResult } from '../../../src/calls/lenient/repair-message.ts';

const GOOD = { type: 'text', text: 'good' };

describe('a result', () => {
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
