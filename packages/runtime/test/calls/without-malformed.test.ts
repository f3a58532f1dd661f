import { describe, expect, it } from 'vitest';
import { withoutMalformed } from '../../src/calls/without-malformed.ts';
import { openCalls } from '../support/calls.ts';
import { event, type Play, text } from '../support/mcp-server.ts';
import { refused } from '../support/refused.ts';

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
    const result = { tools: [], content: 'x' };
    expect(withoutMalformed(result)).toBe(result);
  });
});
