import { createHash } from 'node:crypto';
import type { FileRule, Manifest } from '@svc/contracts';
import { cpuMs } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bindingOf, type PendingCall, safeHtml } from '../../src/cards/approval.ts';
import type { ApprovalCard, Card } from '../../src/cards/card.ts';
import { createPrepare } from '../../src/media/prepare.ts';
import { installed } from '../support/app.ts';
import { openCalls, TOKEN, tokensOf } from '../support/calls.ts';
import { text } from '../support/mcp-server.ts';
import { photograph } from '../support/pictures.ts';
import { realSystem } from '../support/real-system.ts';
import { wav } from '../support/recordings.ts';
import { refused } from '../support/refused.ts';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const tool = (rest: Partial<NonNullable<Manifest['contributes']['tools']>[number]> = {}) => ({
  ...{ id: 'send', name: 'Send', description: 'Sends it.' },
  ...rest,
});

const ACCOUNT = {
  ...{ id: 'acme', label: 'Acme', clientId: 'client', scopes: ['read'] },
  ...{ authorizeUrl: 'https://login.acme.example/authorize', tokenUrl: 'https://login.acme.example/token' },
};

const approvals = (cards: readonly Card[]): ApprovalCard[] =>
  cards.flatMap((card) => (card.kind === 'approval' ? [card] : []));

/** An app with one tool for files, and its server, which returns its arguments. */
async function openTool(
  files: Record<string, FileRule>,
  { confirm = true, account = false }: { confirm?: boolean; account?: boolean } = {},
  options: Parameters<typeof openCalls>[1] = {},
) {
  const prepare = createPrepare(realSystem);
  onTestFinished(() => prepare.close());
  const sends = tool({
    files,
    ...(confirm && { confirm: { title: 'Send {{count}}?' } }),
    ...(account && { account: 'acme' }),
  });
  const contributes = { tools: [sends, tool({ id: 'list', name: 'List' })] };
  const opened = await openCalls(() => text('sent'), {
    ...options,
    manifest: { contributes, grants: ['files:receive', 'host:media'] },
    deps: { prepare, ...options.deps },
  });
  const sent = () => {
    const call = opened.mcp.asked.findLast(({ message }) => message.method === 'tools/call');
    return call?.message.params.arguments ?? {};
  };
  return { ...opened, sent };
}

type Sent = { name: string; mimeType: string; data: string };

describe('what an approval card shows is what the server receives', () => {
  const MEDIA: Record<string, { rule: FileRule; file: () => Promise<Buffer> | Buffer; name: string }> = {
    text: { rule: {}, file: () => Buffer.from('Hello.'), name: 'a.txt' },
    'an empty file': { rule: {}, file: () => Buffer.alloc(0), name: 'empty.txt' },
    bytes: { rule: {}, file: () => Buffer.from([0, 1, 2, 255]), name: 'a.bin' },
    'a name with folders and hidden characters': {
      rule: {},
      file: () => Buffer.from('x'),
      name: '../\u202ea.txt',
    },
    'a picture': { rule: { accept: ['image/*'] }, file: () => photograph('png'), name: 'a.png' },
    'a picture, resized': {
      rule: { accept: ['image/*'], prepare: { op: 'resize', width: 50, height: 50 } },
      file: () => photograph('jpeg'),
      name: 'a.jpg',
    },
    'a picture, converted': {
      rule: { accept: ['image/webp'], prepare: { op: 'convert', format: 'webp' } },
      file: () => photograph('png'),
      name: 'a.png',
    },
    'a recording, cut': {
      rule: { accept: ['audio/*'], prepare: { op: 'trim', start: 0, end: 0.5 } },
      file: () => wav(1),
      name: 'a.wav',
    },
  };

  it.each(Object.keys(MEDIA))('for %s', async (kind) => {
    const { rule, file, name } = MEDIA[kind] as (typeof MEDIA)[string];
    const shown: (Uint8Array | null | undefined)[] = [];
    const { call, cards, sent } = await openTool(
      { file: rule },
      {},
      {
        answer(card, contents) {
          shown.push(contents?.(0), contents?.(1));
          return { accepted: true, binding: (card as ApprovalCard).binding };
        },
      },
    );
    const bytes = await file();
    await call('send', { arguments: { z: 1, a: ['ü'] }, files: { file: [{ name, bytes }] } });
    const [card] = approvals(cards);
    const { file: received, ...args } = sent() as Record<string, unknown> & { file: Sent };
    const data = Buffer.from(received.data, 'base64');
    expect(args).toEqual(card?.arguments);
    expect(card?.files).toEqual([
      {
        ...{ name: received.name, type: received.mimeType, bytes: data.byteLength, sha256: sha256(data) },
        ...(rule.prepare && { was: { name, type: expect.any(String), bytes: bytes.byteLength } }),
      },
    ]);
    expect(shown.map((one) => one && sha256(one))).toEqual([sha256(data), null]);
    expect(card?.title).toBe('Send 1?');
  });

  it('for several files of several arguments, the server and the account', async () => {
    const { call, cards, sent, mcp } = await openTool(
      { one: {}, many: { multiple: true } },
      { account: true },
      { deps: tokensOf(TOKEN) },
    );
    const file = (name: string) => ({ name, bytes: Buffer.from(name) });
    await call('send', { files: { many: [file('b'), file('c')], one: [file('a')] } });
    const [card] = approvals(cards);
    expect(card).toMatchObject({ server: new URL(mcp.url).host, account: { id: 'acme', label: 'Acme' } });
    const { one, many } = sent() as unknown as { one: Sent; many: Sent[] };
    expect(card?.files.map(({ name, sha256 }) => [name, sha256])).toEqual(
      [...many, one].map(({ name, data }) => [name, sha256(Buffer.from(data, 'base64'))]),
    );
    const headers = mcp.headersOf('tools/call')[0];
    expect(headers?.authorization).toBe(`Bearer ${TOKEN}`);
    expect(headers?.host).toBe(card?.server);
  });
});

describe('the order of questions', () => {
  const file = { name: 'a.txt', bytes: Buffer.from('a') };

  it('is: refusals, Connect, approval, call', async () => {
    const { call, cards, mcp } = await openTool(
      { file: { accept: ['text/plain'] } },
      { account: true },
      {
        deps: tokensOf(null, TOKEN),
      },
    );
    const picture = { name: 'a.png', bytes: await photograph('png') };
    await expect(call('send', { files: { file: [picture] } })).rejects.toEqual(refused('file-refused'));
    await expect(call('send', { files: { other: [file] } })).rejects.toEqual(refused('file-refused'));
    expect(cards).toEqual([]);
    await call('send', { files: { file: [file] } });
    expect(cards.map(({ kind }) => kind)).toEqual(['connect', 'approval']);
    expect(mcp.headersOf('tools/call')).toHaveLength(1);
  });

  it('asks about a call of a model after Connect', async () => {
    const askAlways = { isAllowed: () => false, allow: () => undefined };
    const { call, cards } = await openTool(
      { file: {} },
      { account: true, confirm: false },
      {
        deps: tokensOf(null, TOKEN),
      },
    );
    await call('send', { files: { file: [file] }, askAlways });
    expect(cards.map(({ kind }) => kind)).toEqual(['connect', 'approval']);
  });
});

describe('files', () => {
  const file = (name: string, bytes = 'text') => ({ name, bytes: Buffer.from(bytes) });
  const inProject = (path: string, bytes?: string) => ({
    ...file(path.split('/').at(-1) ?? '', bytes),
    origin: { path: `/projects/app/${path}`, project: '/projects/app' },
  });

  it('need the decision of the user for the first one of an app and a project', async () => {
    const { call, cards } = await openTool({ file: {} }, { confirm: false });
    const send = (project: string) => call('send', { project, files: { file: [inProject('a.txt')] } });
    await send('one');
    await send('one');
    expect(approvals(cards)).toMatchObject([
      { wordsOf: 'client', title: expect.stringContaining('Send this file') },
    ]);
    await send('two');
    expect(cards).toHaveLength(2);
    await call('list');
    expect(cards).toHaveLength(2);
  });

  it('go nowhere when the user declines, and the next one asks again', async () => {
    const { call, mcp, cards } = await openTool(
      { file: {} },
      { confirm: false },
      {
        answer: () => ({ accepted: false }),
      },
    );
    for (const count of [1, 2]) {
      const sending = call('send', { files: { file: [file('a.txt')] } });
      await expect(sending).rejects.toEqual(refused('declined'));
      expect(cards).toHaveLength(count);
    }
    expect(mcp.asked).toEqual([]);
  });

  it.each([
    ['.env', inProject('.env'), 'secret'],
    ['a file of git', inProject('.git/config'), 'hidden'],
    ['a key by its name', inProject('deploy/id_ed25519'), 'secret'],
    ['a key by its content', inProject('notes.txt', '-----BEGIN PRIVATE KEY-----\nx'), 'secret'],
    [
      'a file outside',
      { ...file('a.txt'), origin: { path: '/projects/other/a.txt', project: '/projects/app' } },
      'outside',
    ],
    [
      'a file without a project',
      { ...file('a.txt'), origin: { path: '/projects/a.txt', project: null } },
      'outside',
    ],
    ['a key that the user chose', file('server.pem'), 'secret'],
  ] as const)('always ask for %s', async (_what, asked, caution) => {
    const { call, cards } = await openTool({ file: { multiple: true } }, { confirm: false });
    await call('send', { files: { file: [asked] } });
    await call('send', { files: { file: [inProject('a.txt')] } });
    await call('send', { files: { file: [inProject('a.txt'), asked] } });
    await call('send', { files: { file: [inProject('a.txt')] } });
    expect(approvals(cards).map(({ files }) => files.map((one) => one.caution))).toEqual([
      [caution],
      // The decision about a file that always asks is not one about others.
      [undefined],
      [undefined, caution],
    ]);
  });
});

describe('a call of a model', () => {
  async function openModel() {
    const allowed: string[] = [];
    const askAlways = {
      isAllowed: (key: string) => allowed.includes(key),
      allow: (key: string) => void allowed.push(key),
    };
    const opened = await openTool(
      { file: {} },
      { confirm: false },
      {
        answer: (card) => ({ accepted: true, binding: (card as ApprovalCard).binding, allowInChat: true }),
      },
    );
    return { ...opened, allowed, askAlways };
  }

  it('asks until the user allows the tool in the chat, in that chat only', async () => {
    const { call, cards, askAlways } = await openModel();
    await call('list', { askAlways });
    expect(approvals(cards)).toMatchObject([
      { mayAllowInChat: true, title: expect.stringMatching(/^Run List in /) },
    ]);
    await call('list', { askAlways, arguments: { other: true } });
    expect(cards).toHaveLength(1);
    await call('list', { askAlways, chat: 'chat-2' });
    expect(cards).toHaveLength(2);
  });

  it('asks about files each time, whatever was allowed or sent before', async () => {
    const { call, cards, askAlways, allowed } = await openModel();
    const send = () => call('send', { askAlways, files: { file: [{ name: 'a', bytes: Buffer.from('a') }] } });
    await call('send', { askAlways });
    await send();
    await send();
    expect(allowed).toHaveLength(1);
    expect(approvals(cards).map(({ mayAllowInChat }) => mayAllowInChat)).toEqual([
      true,
      undefined,
      undefined,
    ]);
  });
});

describe('the binding of an approval', () => {
  const file = {
    ...{ param: 'file', name: 'a', type: 'text/plain', bytes: Buffer.from('a'), sha256: 'a'.repeat(64) },
    ...{ caution: null, was: { name: 'b', type: 'text/html', bytes: 2 } },
  };
  const app = (rest: Partial<Manifest> = {}) => installed({ accounts: [ACCOUNT], ...rest });
  const CALL: PendingCall = {
    ...{ app: app(), tool: { ...tool(), account: 'acme' }, arguments: { a: 1, b: [2] }, files: [file] },
  };
  const remote = (mcpUrl: string) => ({
    remote: { mcpUrl, domains: ['mcp.example.com', 'other.example.com'] },
  });

  it('is the same for the same call, in any order of its arguments', () => {
    expect(bindingOf({ ...CALL, arguments: { b: [2], a: 1 } })).toBe(bindingOf(CALL));
  });

  it.each([
    ['app', { app: app({ id: 'com.example.other' }) }],
    ['version', { app: app({ version: '9.9.9' }) }],
    ['tool', { tool: { ...CALL.tool, id: 'other' } }],
    ['account', { tool: tool() }],
    ['arguments', { arguments: { a: 1, b: [3] } }],
    ['number of files', { files: [file, file] }],
    ...(['param', 'name', 'type', 'sha256'] as const).map((field) => [
      `${field} of a file`,
      { files: [{ ...file, [field]: 'other' }] },
    ]),
    ['original of a file', { files: [{ ...file, was: { ...file.was, bytes: 3 } }] }],
  ] as [string, Partial<PendingCall>][])('changes with the %s', (_what, changed) => {
    expect(bindingOf({ ...CALL, ...changed })).not.toBe(bindingOf(CALL));
  });

  it('changes with the server', () => {
    const at = (mcpUrl: string) => bindingOf({ ...CALL, app: app(remote(mcpUrl)) });
    const addresses = [
      'https://mcp.example.com/mcp',
      'https://mcp.example.com/other',
      'https://other.example.com/mcp',
    ];
    expect(new Set(addresses.map(at)).size).toBe(3);
  });
});

it('renders text, lists and links', () => {
  expect(safeHtml('# Hello\n\n**bold** [link](https://example.com/a)\n\n- one')).toBe(
    '<h1>Hello</h1>\n<p><strong>bold</strong> <a href="https://example.com/a" rel="noopener noreferrer nofollow" target="_blank">link</a></p>\n<ul>\n<li>one</li>\n</ul>',
  );
});

it.each([
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)>',
  '![x](https://evil.example/pixel.png)',
  '![x](https://evil.example/pixel.png "t")',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](data:text/html,<script>)',
  '[x](vbscript:x)',
  '[x](http://plain.example)',
  '[x](//evil.example)',
  '[x](https://user:pass@evil.example)',
  '<javascript:alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '<style>*{display:none}</style>',
  '<iframe src="https://evil.example">',
  '<form action="https://evil.example"><button>Approve</button></form>',
  '[x]: javascript:alert(1)\n\n[x]',
  '```html\n<script>alert(1)</script>\n```',
  '`<img src=x>`',
  'a<!--<script>-->b',
  '[x](https://evil.example" onclick="alert(1))',
])('renders no script and no resource for %j', (text) => {
  const html = safeHtml(text);
  const tags = html.match(/<[^>]*>/g) ?? [];
  for (const tag of tags) {
    expect(tag).toMatch(
      /^<\/?(p|code|pre|span|h[1-6]|ul|ol|li|blockquote|strong|em|br|hr|a)( \/)?>$|^<a href="https:\/\/evil\.example[^"@]*" rel="noopener noreferrer nofollow" target="_blank">$/,
    );
  }
});

it('renders deeply nested text in less than three seconds of processor time', () => {
  const started = cpuMs();
  for (const text of ['>'.repeat(5_000), '['.repeat(5_000), '*a '.repeat(3_000), '- '.repeat(5_000)]) {
    expect(safeHtml(text).length).toBeLessThan(200_000);
  }
  expect(cpuMs() - started).toBeLessThan(3_000);
});
