import { describe, expect, it } from 'vitest';
import { readBlock, readContents } from '../../../src/calls/lenient/repair-block.ts';
import { openCalls } from '../../support/calls.ts';
import { event, type Play } from '../../support/mcp-server.ts';

const GOOD = { type: 'text', text: 'good' };
const LOST = { type: 'text', text: expect.stringContaining('Part 2 of the answer is malformed') };

/** Malformed content blocks. */
const MALFORMED: readonly (readonly [string, unknown])[] = [
  ['a text that is missing', { type: 'text' }],
  ['a text that is null', { type: 'text', text: null }],
  ['a picture that is not base64', { type: 'image', data: '%%%', mimeType: 'image/png' }],
  ['a link without an address', { type: 'resource_link', name: 'x' }],
  ['a resource without text and bytes', { type: 'resource', resource: { uri: 'x:y' } }],
  ['null', null],
  ['a list', [GOOD]],
];

/** Blocks that servers send in the place of one of MCP, and the texts of their parts; a file is stored or noted by its name. */
const READABLE: readonly (readonly [string, unknown, string])[] = [
  ['a text alone', 'hello', 'hello'],
  ['a text without a type', { text: 'hello' }, 'hello'],
  ['an error', { type: 'error', text: 'hello' }, 'hello'],
  ['a text in another field', { type: 'text', content: 'hello' }, 'hello'],
  ['a text that is an object', { type: 'text', text: { a: [1] } }, '{"a":[1]}'],
  ['a text that is a number', { type: 'text', text: 0 }, '0'],
  ['JSON', { type: 'json', json: { a: 1 } }, '{"type":"json","json":{"a":1}}'],
  ['a file', { type: 'blob', data: 'AAAA', mimeType: 'video/mp4' }, 'file'],
  ['a picture of another type', { type: 'blob', data: 'AAAA', mimeType: 'image/png' }, 'image'],
  ['a picture without its type', { type: 'image', data: 'AAAA' }, 'image'],
  [
    'a picture as a data URL',
    { type: 'image', data: 'data:image/png;base64,AA+/', mimeType: 'a/b' },
    'image',
  ],
  [
    'a picture within its source',
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    'image',
  ],
  [
    'a picture by its address',
    { type: 'image', url: 'https://x.y/' },
    '{"type":"image","url":"https://x.y/"}',
  ],
  ['a picture in base64url', { type: 'image', data: 'AA-_A\n\r\tA', mimeType: 'image/png' }, 'image'],
  [
    'a resource with nulls',
    { type: 'resource', resource: { uri: 'x:y', mimeType: null, text: 'hello', blob: null, _meta: null } },
    'hello',
  ],
  ['a resource without a URI', { type: 'resource', resource: { text: { a: 1 } } }, '{"a":1}'],
  [
    'a resource in the block itself',
    { type: 'resource', uri: 'x:y', text: 'hello', annotations: null },
    'hello',
  ],
  [
    'a file in the block itself',
    { type: 'resource', uri: 'x:/y.png', text: null, blob: 'AA', _meta: {} },
    'y.png',
  ],
  ['a link without a name', { type: 'resource_link', uri: 'x:/y.png' }, 'y.png'],
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
  it.each(READABLE)('keeps what is said in a block that is %s', async (_what, block, expected) => {
    for (const content of [[GOOD, block], block]) {
      const { call } = await openCalls(() => ({ content }));
      const { parts } = await call('plain');
      const texts = parts.map((part) => (part.type === 'text' ? part.text : part.file.name));
      expect(texts.at(-1)?.replace(/^\[The file (.*) was not kept: .*\]$/, '$1')).toBe(expected);
      expect(texts).toHaveLength(content === block ? 1 : 2);
    }
  });

  it.each([
    ['annotations', { annotations: { priority: 'high' } }],
    ['icons', { icons: 'none' }],
    ['_meta fields', { _meta: [] }],
  ])('keeps a block whose %s are malformed', async (_what, extra) => {
    const { call } = await openCalls(() => ({ content: [{ ...GOOD, ...extra }] }));
    expect((await call('plain')).parts).toEqual([GOOD]);
  });
});

describe('a block', () => {
  const read = (block: unknown) => {
    const notes: string[] = [];
    return { block: readBlock(block, 0, (note) => notes.push(note)), notes };
  };
  const repaired = ['Part 1 of the answer was repaired: its type is none of MCP.'];

  it.each<[string, object, object]>([
    [
      'a sound',
      { data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
    ],
    [
      'a picture',
      { data: 'AAAA', mimeType: 'image/png' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    ],
    [
      'a file',
      { data: 'AAAA', mimeType: 'video/mp4' },
      { type: 'resource', resource: { uri: '', blob: 'AAAA', mimeType: 'video/mp4' } },
    ],
  ])('of no type that MCP has is %s, with its type', (_what, given, expected) => {
    const { block, notes } = read({ type: 'blob', ...given });
    expect(block).toStrictEqual(expected);
    expect(notes).toEqual(repaired);
  });

  it('of a resource keeps its annotations and its _meta, and is not repaired for a _meta that is null', () => {
    const resource = { uri: 'x:y', text: 'hello' };
    const [annotations, _meta] = [{ priority: 1 }, { a: 1 }];
    for (const more of [{ annotations, _meta }, { annotations }, { _meta }, {}]) {
      const given = { type: 'resource', resource, ...more };
      expect(read(given)).toEqual({ block: given, notes: [] });
    }
    const { block, notes } = read({ type: 'resource', resource, _meta: null });
    expect(block).toEqual({ type: 'resource', resource });
    expect(notes).toEqual([]);
  });

  it('of text has no data, and a file no text', () => {
    expect(read({ type: 'text', text: 'hello' }).block).toStrictEqual({ type: 'text', text: 'hello' });
    const contents = readContents({ uri: 'x:y', blob: 'AAAA', text: null }, 0, () => {});
    expect(contents).toStrictEqual({ uri: 'x:y', blob: 'AAAA' });
    const words = readContents({ uri: 'x:y', blob: null, text: 'hello' }, 0, () => {});
    expect(words).toStrictEqual({ uri: 'x:y', text: 'hello' });
  });
});
