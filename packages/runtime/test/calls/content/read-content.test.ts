import { LIMITS } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { cspOf, readContents, readPage, readPrompt } from '../../../src/calls/content/read-content.ts';
import { createSecrets } from '../../../src/calls/secrets.ts';
import { refused } from '../../support/refused.ts';

const TOKEN = 'svc-test-token-9f8E7d6C5b4A';
const secrets = createSecrets();
secrets.add(TOKEN);

const uri = 'note://1';
const contentsOf = (...contents: object[]) => readContents({ contents } as never, secrets);
const promptOf = (...blocks: object[]) =>
  readPrompt({ messages: blocks.map((content) => ({ role: 'assistant', content })) } as never, secrets);
const base64 = (text: string) => Buffer.from(text).toString('base64');
const LARGEST = 1024 * 1024;

describe.each<[string, (texts: string[]) => Promise<unknown>]>([
  ['a resource', (texts) => contentsOf(...texts.map((text) => ({ uri, text })))],
  ['a prompt', (texts) => promptOf(...texts.map((text) => ({ type: 'text', text })))],
])('%s', (_what, read) => {
  it('has at most 500 parts and a mebibyte of text', async () => {
    const half = 'x'.repeat(LARGEST / 2);
    for (const texts of [Array.from({ length: 500 }, () => 'x'), [half, half]]) {
      await expect(read(texts)).resolves.toBeDefined();
      await expect(read([...texts, 'x'])).rejects.toEqual(refused('too-large'));
    }
  });
});

it('the files of a resource are named after its address, and have no token', async () => {
  const parts = await contentsOf(
    ...['note://a/b.txt', 'note://a/c.txt/', '', `note://${TOKEN}`].map((at) => ({
      uri: at,
      blob: base64('x'),
    })),
    { uri, blob: base64(`got ${TOKEN}`), mimeType: 'text/plain' },
  );
  const bytes = Buffer.from('x');
  expect(parts.slice(0, 3)).toMatchObject(
    ['b.txt', 'c.txt', 'file'].map((name) => ({ type: 'file', name, mediaType: 'text/plain', bytes })),
  );
  expect(JSON.stringify(parts)).not.toContain(TOKEN);
  expect(parts[4]).toEqual({
    ...{ type: 'text', text: '[A file was left out: it holds a token.]' },
    given: { uri, mimeType: 'text/plain' },
  });
});

it('the files of a resource have together at most the size of one', async () => {
  const blob = 'A'.repeat(Math.ceil(LIMITS.file.maxBytes / 3) * 4);
  await expect(contentsOf({ uri, blob }, { uri, blob: 'AAAA' })).rejects.toEqual(refused('too-large'));
});

it('the blocks of a prompt are texts, files and links, without tokens', async () => {
  const { messages } = await promptOf(
    { type: 'text', text: `got ${TOKEN}` },
    { type: 'image', data: base64('x'), mimeType: 'image/png' },
    { type: 'resource', resource: { uri, text: `got ${TOKEN}` } },
    { type: 'resource_link', uri: `note://${TOKEN}`, name: `a\nb ${TOKEN}` },
  );
  expect(messages.map(({ part }) => part)).toMatchObject([
    { type: 'text', text: 'got [secret]' },
    { type: 'file', name: expect.stringContaining('image') },
    { type: 'text', text: 'got [secret]' },
    { type: 'link', uri: 'note://[secret]', name: 'a b [secret]' },
  ]);
  expect(messages[0]?.role).toBe('assistant');
});

it('the description of a prompt is a line of limited length without tokens', async () => {
  const described = async (description?: string) =>
    (await readPrompt({ messages: [], ...(description !== undefined && { description }) }, secrets))
      .description;
  expect(await described()).toBe('');
  expect(await described(`a\nb ${TOKEN}`)).toBe('a b [secret]');
  expect(await described('x'.repeat(100_000))).toHaveLength(LIMITS.tool.description);
});

it('the origins of a page are texts, within limits', () => {
  const [longest, tooLong] = [300, 301].map((length) => `https://${'x'.repeat(length - 8)}`);
  const csp = {
    connectDomains: [longest, tooLong, 7, null, { length: 1 }, 'https://a.example'],
    frameDomains: 'https://b.example',
    resourceDomains: Array.from({ length: 51 }, (_, n) => `https://${n}.example`),
  };
  expect(cspOf({ _meta: { ui: { csp } } })).toEqual({
    connectDomains: [longest, 'https://a.example'],
    frameDomains: [],
    resourceDomains: csp.resourceDomains.slice(0, 50),
  });
  const uses = Array.from({ length: 11 }, (_, n) => [`use${n}`, []]);
  const many = cspOf({ _meta: { ui: { csp: Object.fromEntries(uses) } } });
  expect(Object.entries(many ?? {})).toEqual(uses.slice(0, 10));
});

it('a page of a server is HTML without tokens, with the origins that the server names', () => {
  const page = (found: object | undefined) => () =>
    readPage({ contents: found ? [{ uri, ...found }] : [] } as never, secrets);
  const csp = { connectDomains: ['https://a.example'] };
  const html = { mimeType: 'text/html;profile=mcp-app', text: `<p>${TOKEN}</p>` };
  expect(page({ ...html, _meta: { ui: { csp } } })()).toEqual({ html: '<p>[secret]</p>', csp });
  const bytes = { mimeType: 'text/html', blob: base64('<p>é</p>') };
  for (const _meta of [undefined, {}, { ui: {} }, { ui: null }, { ui: { csp: null } }, []])
    expect(page({ ...bytes, _meta })()).toEqual({ html: '<p>é</p>', csp: null });
  const several = [
    { uri, mimeType: 'text/plain', text: '' },
    { uri, ...html, _meta: { ui: { csp } } },
  ];
  expect(readPage({ contents: several } as never, secrets)).toMatchObject({ csp });
  for (const other of [
    undefined,
    { text: '' },
    { mimeType: 'text/plain', text: '' },
    { mimeType: 'x/text/html', text: '' },
  ])
    expect(page(other)).toThrow(refused('not-offered'));
});
