import { readFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener } from 'node:http';
import { LIMITS } from '@svc/contracts';
import { DEEP } from '@svc/testkit';
import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it } from 'vitest';
import type { ConnectorChoices } from '../../src/library/choice-tables.ts';
import { answering, PNG } from '../support/answering.ts';
import { openCalls, TOKEN, tokensOf } from '../support/calls.ts';
import { json, type ServerOptions } from '../support/mcp-server.ts';

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
