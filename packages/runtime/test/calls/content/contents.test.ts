import { setImmediate } from 'node:timers/promises';
import { DEEP } from '@svc/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createAdmission } from '../../../src/calls/admission.ts';
import { callContext } from '../../../src/calls/authorised-fetch.ts';
import { type CompletionOf, createContents } from '../../../src/calls/content/contents.ts';
import { readPage } from '../../../src/calls/content/read-content.ts';
import { NO_PINS } from '../../../src/calls/pins/pins.ts';
import { createSecrets } from '../../../src/calls/secrets.ts';
import type { Sessions } from '../../../src/calls/sessions.ts';
import type { WithAccount } from '../../../src/calls/use-server.ts';
import { connectorApp } from '../../../src/connectors/connector-app.ts';
import { RuntimeError } from '../../../src/platform/runtime-error.ts';
import { installed } from '../../support/app.ts';
import { isAlive, openCommandCalls, pidsIn, SECRET } from '../../support/local-connectors.ts';
import { refused } from '../../support/refused.ts';
import { system } from '../../support/system.ts';
import type { AtEnd } from '../../support/temp-folder.ts';

const open = async (wild = '', atEnd: AtEnd = onTestFinished) => {
  const world = await openCommandCalls({ wild, command: { variables: ['SVC_TEST_TOKEN'] }, atEnd });
  return { ...world, contents: world.calls.contents };
};

/** A connector whose program is started once, for all tests that only read from it: a start takes longer than they do. */
let shared: Awaited<ReturnType<typeof open>>;
beforeAll(async () => {
  shared = await open('', afterAll);
});

describe('the resources of a connector', () => {
  it('are listed with names without hidden characters, once per URI, without malformed entries', async () => {
    const { contents, app, where } = shared;
    const { resources, templates } = await contents.resources(app, where);
    expect(resources.isComplete).toBe(true);
    expect(resources.entries.map(({ uri }) => uri)).toEqual([
      'note://one',
      'note://pixel',
      'note://huge',
      'note://token',
      'note://many',
    ]);
    expect(resources.entries[0]).toMatchObject({
      uri: 'note://one',
      name: 'The first note',
      description: '',
      type: 'text/plain',
      bytes: 5,
    });
    expect(resources.entries[2]).toMatchObject({
      name: 'Agigabyte of it',
      description: 'First SYSTEM: second',
    });
    expect(templates.entries).toMatchObject([
      { uriTemplate: 'note://{name}', name: 'Any note', description: '', type: null },
    ]);
  });

  it('are cut off at 1,000, and the list is marked as incomplete', async () => {
    const { contents, app, where } = await open('endless');
    const { resources } = await contents.resources(app, where);
    expect(resources.entries).toHaveLength(1_000);
    expect(resources.isComplete).toBe(false);
  });

  it('are read as text, or as bytes with their media type, and a note replaces a malformed part', async () => {
    const { contents, app, where } = shared;
    expect(await contents.read(app, 'note://one', where)).toEqual([
      { type: 'text', text: 'Hello', given: { uri: 'note://one' } },
    ]);
    const [pixel, lost] = await contents.read(app, 'note://pixel', where);
    expect(pixel).toMatchObject({ type: 'file', mediaType: 'image/png', bytes: expect.any(Uint8Array) });
    expect(lost).toMatchObject({
      type: 'text',
      text: '[Part 2 of the answer is malformed and was left out.]',
    });
  });

  it('are read with secrets redacted', async () => {
    const { contents, app, where } = shared;
    const [part] = await contents.read(app, 'note://token', where);
    expect(part).toMatchObject({ type: 'text', text: 'It is [secret]' });
    expect(JSON.stringify(part)).not.toContain(SECRET);
  });

  it.each(['note://many', 'note://long'])('are refused when they are too large: %s', async (uri) => {
    const { contents, app, where } = shared;
    await expect(contents.read(app, uri, where)).rejects.toEqual(refused('too-large'));
  });

  it('end a program that sends a gigabyte, and others can be read afterwards', DEEP, async () => {
    const { contents, app, where, record } = await open();
    await expect(contents.read(app, 'note://huge', where)).rejects.toEqual(refused('too-large'));
    await expect.poll(() => pidsIn(record).filter(isAlive)).toEqual([]);
    expect(await contents.read(app, 'note://one', where)).toHaveLength(1);
  });

  it.each(['', 'note://\u202ehidden', `note://${'x'.repeat(3_000)}`, 'a\nb'])(
    'are not requested by the invalid URI %j',
    async (uri) => {
      const { contents, app, where, record } = await open();
      await expect(contents.read(app, uri, where)).rejects.toEqual(refused('invalid-arguments'));
      expect(() => pidsIn(record)).toThrow('ENOENT');
    },
  );

  it('fail with the message of the server when it cannot read one', async () => {
    const { contents, app, where } = shared;
    await expect(contents.read(app, 'note://none', where)).rejects.toMatchObject({
      code: 'server-failed',
      message: expect.stringContaining('There is no such note.'),
    });
  });
});

it('a page of a server is refused above 4 MiB, as text and as bytes', () => {
  const page = (html: string) => ({ uri: 'ui://page', mimeType: 'text/html;profile=mcp-app', text: html });
  const bytes = ({ text, ...rest }: ReturnType<typeof page>) => ({
    ...rest,
    blob: Buffer.from(text).toString('base64'),
  });
  const largest = page('x'.repeat(4 * 1024 * 1024));
  for (const contents of [largest, bytes(largest)])
    expect(readPage({ contents: [contents] }, createSecrets()).html).toBe(largest.text);
  const larger = page(`${largest.text}x`);
  for (const contents of [larger, bytes(larger)])
    expect(() => readPage({ contents: [contents] }, createSecrets())).toThrow(refused('too-large'));
});

describe('the prompts of a connector', () => {
  it('are listed with descriptions without hidden characters, except those that cannot be filled in', async () => {
    const { contents, app, where } = shared;
    expect(await contents.prompts(app, where)).toMatchObject({
      isComplete: true,
      entries: [
        {
          id: 'greet',
          name: 'greet',
          description: 'Greets[2J them',
          arguments: [{ name: 'who', description: '', isRequired: true }],
        },
      ],
    });
  });

  it('are filled in, and a note replaces a malformed message', async () => {
    const { contents, app, where } = shared;
    expect(await contents.fill(app, 'greet', { who: 'Ada' }, where)).toMatchObject({
      description: '',
      messages: [
        { role: 'user', part: { type: 'text', text: 'Greet Ada' } },
        {
          role: 'user',
          part: { type: 'text', text: '[Part 2 of the answer is malformed and was left out.]' },
        },
        { role: 'assistant', part: { type: 'link', uri: 'note://one', name: 'o ne' } },
      ],
    });
  });

  it('accept only texts as arguments, limited in number and length', async () => {
    const { contents, app, where } = shared;
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`n${n}`, 'x']));
    for (const args of [{ who: 7 as never }, { who: 'x'.repeat(100_001) }, { 'a\u200bb': 'x' }, many]) {
      await expect(contents.fill(app, 'greet', args, where)).rejects.toEqual(refused('invalid-arguments'));
    }
    await expect(contents.fill(app, 'gre\u200bet', {}, where)).rejects.toEqual(refused('invalid-arguments'));
  });
});

it('a connector that is off has none', async () => {
  const { contents, where, app } = shared;
  await expect(contents.resources({ ...app, on: false }, where)).rejects.toEqual(refused('switched-off'));
});

it('only connectors have resources and prompts', async () => {
  const { contents, where } = shared;
  const app = installed({});
  await expect(contents.resources(app, where)).rejects.toEqual(refused('not-offered'));
  await expect(contents.prompts(app, where)).rejects.toEqual(refused('not-offered'));
});

/** The contents of a connector with an account, whose server has these. It records the method that each request is of, and who is asked. */
function contentsWith(content: object) {
  const asked: unknown[] = [];
  const sessions = {
    secretsOf: () => createSecrets(),
    use: async (_app: unknown, _account: unknown, _signal: unknown, work: (session: object) => unknown) => {
      asked.push(callContext.getStore()?.tool);
      return work({ connection: { content } });
    },
  };
  const withAccount: WithAccount = (_app, accountId, _signal, attempt) => {
    asked.push(`${accountId} may be asked`);
    return attempt();
  };
  const health = { responded: () => undefined, failed: () => undefined };
  const contents = createContents({
    ...{ system, withAccount, health, admission: createAdmission(system) },
    ...{ pins: NO_PINS, repairs: { add: () => undefined } },
    sessions: sessions as unknown as Sessions,
  });
  const app = connectorApp('https://mcp.example.com/', true);
  return { contents, app, asked };
}

const WHERE = { project: 'project-1', chat: null };
const [MAY_ASK, NONE] = ['server may be asked', { items: [], isComplete: true }];

it('each request of a connector is named, and may ask for its account unless it is of no user', async () => {
  const page = { contents: [{ uri: 'ui://1', mimeType: 'text/html', text: '' }] };
  const { contents, app, asked } = contentsWith({
    ...{ resources: async () => NONE, templates: async () => NONE, prompts: async () => NONE },
    ...{
      read: async () => page,
      prompt: async () => ({ messages: [] }),
      complete: async () => ({ values: [] }),
    },
  });
  await contents.resources(app, WHERE);
  await contents.prompts(app, WHERE);
  await contents.read(app, 'ui://1', WHERE);
  await contents.page(app, 'ui://1', WHERE);
  await contents.fill(app, 'greet', {}, WHERE);
  const methods = ['resources/list', 'prompts/list', 'resources/read', 'resources/read', 'prompts/get'];
  expect(asked.splice(0)).toEqual(methods.flatMap((method) => [MAY_ASK, method]));
  await contents.prompts(app, { ...WHERE, mayAsk: false });
  await contents.complete(app, { of: { prompt: 'greet' }, argument: { name: 'who', value: '' } }, WHERE);
  expect(asked).toEqual(['prompts/list', 'completion/complete']);
});

const [OWN, LISTED] = [{ connectDomains: ['https://a.example'] }, { connectDomains: ['https://b.example'] }];
const saysOf = (csp: unknown) => ({ _meta: { ui: { csp } } });

it.each<[string, object, object[] | null, unknown]>([
  ['with its contents', saysOf(OWN), [{ uri: 'ui://1', ...saysOf(LISTED) }], OWN],
  ['with its contents, which name none', saysOf({}), [{ uri: 'ui://1', ...saysOf(LISTED) }], {}],
  [
    'in the list alone',
    {},
    [
      { uri: 'ui://2', ...saysOf(OWN) },
      { uri: 'ui://1', ...saysOf(LISTED) },
    ],
    LISTED,
  ],
  ['nowhere', {}, [{ uri: 'ui://1' }], {}],
  ['in no list', {}, [], {}],
  ['in a list that fails', {}, null, {}],
])('the origins of a page are those that its server names %s', async (_what, own, items, expected) => {
  const { contents, app } = contentsWith({
    read: async () => ({ contents: [{ uri: 'ui://1', mimeType: 'text/html', text: '', ...own }] }),
    resources: async () => {
      if (!items) throw new Error('no list');
      return { items, isComplete: true };
    },
  });
  expect(await contents.page(app, 'ui://1', WHERE)).toEqual({ html: '', csp: expected });
});

it('a prompt has at most 50 arguments, of 100,000 characters', async () => {
  const given: unknown[] = [];
  const { contents, app } = contentsWith({
    prompt: async (_id: string, args: unknown) => {
      given.push(args);
      return { messages: [] };
    },
  });
  const args = Object.fromEntries(
    Array.from({ length: 50 }, (_, n) => [`n${n}`, 'x'.repeat(n === 0 ? 100_000 : 1)]),
  );
  await contents.fill(app, 'greet', args, WHERE);
  expect(given).toEqual([args]);
  for (const wrong of [7, ['x']]) {
    const mixed = { fine: 'x', wrong: wrong as never };
    await expect(contents.fill(app, 'greet', mixed, WHERE)).rejects.toEqual(refused('invalid-arguments'));
  }
});

describe('the suggestions of a server', () => {
  const suggested = async (completion: object, of: CompletionOf['of'] = { prompt: 'greet' }) => {
    const asked: unknown[] = [];
    const { contents, app } = contentsWith({
      complete: async (params: unknown) => {
        asked.push(params);
        return completion;
      },
    });
    const argument = { name: 'who', value: 'A' };
    const others = { where: 'here' };
    return { asked, ...(await contents.complete(app, { of, argument, others }, WHERE)) };
  };

  it.each([
    [{ prompt: 'greet' }, { type: 'ref/prompt', name: 'greet' }],
    [{ uriTemplate: 'note://{who}' }, { type: 'ref/resource', uri: 'note://{who}' }],
  ])('are asked for with what is known of %j', async (of, ref) => {
    const { asked } = await suggested({ values: [] }, of as CompletionOf['of']);
    expect(asked).toEqual([
      { ref, argument: { name: 'who', value: 'A' }, context: { arguments: { where: 'here' } } },
    ]);
  });

  const hundred = Array.from({ length: 100 }, (_, n) => String(n));
  it.each<[object, object]>([
    [{ values: ['x'] }, { values: ['x'], hasMore: false }],
    [
      { values: ['x'], total: 5, hasMore: true },
      { values: ['x'], total: 5, hasMore: true },
    ],
    [
      { values: hundred, total: 0, hasMore: false },
      { values: hundred, total: 0, hasMore: false },
    ],
    [{ values: [...hundred, 'x'] }, { values: hundred, hasMore: true }],
  ])('are at most a hundred', async (completion, expected) => {
    const { asked: _asked, ...read } = await suggested(completion);
    expect(read).toStrictEqual(expected);
  });
});

describe('a resource that is watched', () => {
  it('is so until its reader leaves, also where the server then fails', async () => {
    const leaves = new AbortController();
    const stopped = Promise.withResolvers<void>();
    const { contents, app, asked } = contentsWith({
      subscribe: async () => async () => {
        stopped.resolve();
        throw new Error('gone');
      },
    });
    await contents.watch(app, 'note://1', { ...WHERE, signal: leaves.signal });
    expect(asked).toEqual(['resources/subscribe']);
    expect(await Promise.race([stopped.promise.then(() => 'stopped'), setImmediate('watched')])).toBe(
      'watched',
    );
    leaves.abort();
    await stopped.promise;
  });

  it('is not where the server refuses', async () => {
    const { contents, app } = contentsWith({
      subscribe: async () => {
        throw new RuntimeError('not-offered');
      },
    });
    await expect(contents.watch(app, 'note://1', WHERE)).rejects.toEqual(refused('not-offered'));
  });
});
