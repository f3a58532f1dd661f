import type { ServerResponse } from 'node:http';
import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it } from 'vitest';
import { type CallContext, callContext } from '../../src/calls/authorised-fetch.ts';
import type { CallDeps } from '../../src/calls/calls.ts';
import { createSecrets } from '../../src/calls/secrets.ts';
import {
  createRunningCalls,
  openingPages,
  type ServerRequests,
  type ServerServices,
  serverRequests,
} from '../../src/calls/server-requests.ts';
import type { Answer, Ask, Card, QuestionCard } from '../../src/cards/card.ts';
import { connectorApp } from '../../src/connectors/connector-app.ts';
import {
  asking,
  CONNECTOR,
  type QuestionContent,
  type Request,
  type Response,
  yes,
} from '../support/asking-server.ts';
import { openCalls, TOKEN, tokensOf } from '../support/calls.ts';
import { event, text } from '../support/mcp-server.ts';
import { panelApp } from '../support/panel-app.ts';
import { stoppedClock } from '../support/stopped-clock.ts';

const form = (properties: object, required: string[] = []): Request => ({
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Which one?', requestedSchema: { type: 'object', properties, required } },
});

const PROPERTIES = {
  name: { type: 'string', title: 'Your name', minLength: 2 },
  mail: { type: 'string', format: 'email' },
  age: { type: 'integer', minimum: 0, maximum: 150 },
  subscribed: { type: 'boolean', default: true },
  colour: { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'] },
  days: {
    type: 'array',
    items: {
      anyOf: [
        { const: 'mo', title: 'Monday' },
        { const: 'tu', title: 'Tuesday' },
      ],
    },
    maxItems: 1,
  },
};

const questionIn = (cards: readonly Card[]): QuestionCard =>
  cards.find((card) => card.kind === 'question') ?? expect.fail('no question');

describe('a server that asks the user', () => {
  const content = { name: 'Anna', age: 7, subscribed: false, colour: 'g', days: ['mo'] };

  it('gets the values of the card that it described', async () => {
    const { call, cards, responses, declared } = await asking([form(PROPERTIES, ['name'])], {
      answer: (card) => yes(card, content),
    });
    await call('plain');
    expect(declared).toEqual([{ elicitation: { form: { applyDefaults: true }, url: {} } }]);
    expect(responses).toMatchObject([{ id: 'ask-0', result: { action: 'accept', content } }]);
    const { fields, ...card } = questionIn(cards);
    expect(card).toMatchObject({
      tool: 'plain',
      message: 'Which one?',
      url: null,
      server: expect.stringContaining('localhost'),
    });
    expect(
      fields.map(({ name, title, type, required, initial }) => [name, title, type, required, initial]),
    ).toEqual([
      ['name', 'Your name', 'string', true, null],
      ['mail', 'mail', 'string', false, null],
      ['age', 'age', 'integer', false, null],
      ['subscribed', 'subscribed', 'boolean', false, true],
      ['colour', 'colour', 'choice', false, null],
      ['days', 'days', 'choices', false, null],
    ]);
    expect(fields[4]?.options).toEqual([
      { value: 'r', title: 'Red' },
      { value: 'g', title: 'Green' },
    ]);
  });

  it('gets a list of texts that the user writes on lines of their own', async () => {
    const tags = { type: 'array', items: { type: 'string' }, title: 'Tags', default: ['a', 'b'] };
    const { call, cards, responses } = await asking([form({ tags }, ['tags'])], {
      answer: (card) => yes(card, { tags: ' one \n\ntwo\r\n' }),
    });
    await call('plain');
    expect(questionIn(cards).fields).toMatchObject([
      { type: 'string', isList: true, description: 'One value per line.', initial: 'a\nb' },
    ]);
    expect(responses).toMatchObject([{ result: { content: { tags: ['one', 'two'] } } }]);
  });

  it.each<[string, Answer, string]>([
    ['declines', { accepted: false }, 'decline'],
    ['closes the card', { accepted: false, dismissed: true }, 'cancel'],
    ['accepts another card', { accepted: true, binding: 'other', content: { name: 'Anna' } }, 'decline'],
  ])('and does not get them when the user %s', async (_what, answer, action) => {
    const { call, responses } = await asking([form(PROPERTIES, ['name'])], { answer: () => answer });
    await call('plain');
    expect(responses).toMatchObject([{ result: { action } }]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a required value is missing', { age: 7 }],
    ['a text is too short', { name: 'A' }],
    ['a number is none', { name: 'Anna', age: '7' }],
    ['a number is too large', { name: 'Anna', age: 151 }],
    ['an address is none', { name: 'Anna', mail: 'anna' }],
    ['a choice is none of the options', { name: 'Anna', colour: 'b' }],
    ['there are too many choices', { name: 'Anna', days: ['mo', 'tu'] }],
  ])('gets nothing where %s', async (_what, given) => {
    const { call, responses } = await asking([form(PROPERTIES, ['name'])], {
      answer: (card) => yes(card, given as QuestionContent),
    });
    await call('plain');
    expect(responses).toMatchObject([{ result: { action: 'cancel' } }]);
    expect(responses[0]?.result).not.toHaveProperty('content');
  });

  it('gets no values that it did not ask for', async () => {
    const { call, responses } = await asking([form({ name: PROPERTIES.name })], {
      answer: (card) => yes(card, { name: 'Anna', other: 'x', __proto__: 'y' } as never),
    });
    await call('plain');
    expect(responses).toMatchObject([{ result: { content: { name: 'Anna' } } }]);
    expect(Object.keys(responses[0]?.result?.content ?? {})).toEqual(['name']);
  });

  it('shows no hidden characters and no token of the user', async () => {
    const hidden = 'Enter\u202e your\u{e0041} name';
    const request = form({ name: { type: 'string', title: hidden, description: `for ${TOKEN}` } });
    const { call, cards } = await asking(
      [{ ...request, params: { ...request.params, message: `${hidden} ${TOKEN}` } }],
      { connector: false, deps: tokensOf(TOKEN), answer: (card) => yes(card, { name: 'Anna' }) },
    );
    await call('mine');
    const card = questionIn(cards);
    expect(JSON.stringify(card)).not.toMatch(/\u202e|\u{e0041}/u);
    expect(JSON.stringify(card)).not.toContain(TOKEN);
    expect(card.fields[0]?.description).toBe('for [secret]');
  });

  it.each<[string, object]>([
    [
      'more fields than can be shown',
      Object.fromEntries(Array.from({ length: 31 }, (_, n) => [`f${n}`, { type: 'string' }])),
    ],
    ['a field whose name is too long to show', { ['x'.repeat(101)]: { type: 'string' } }],
    ['more options than can be shown', { a: { type: 'string', enum: Array.from({ length: 201 }, String) } }],
  ])('in a form with %s is refused without a card', async (_what, properties) => {
    const { call, cards, responses } = await asking([form(properties)]);
    await call('plain');
    expect(responses).toMatchObject([{ error: { code: -32602 } }]);
    expect(cards).toEqual([]);
  });

  it('is refused after ten questions of one call', async () => {
    const { call, cards, responses } = await asking(
      Array.from({ length: 11 }, () => form({})),
      {
        answer: (card) => yes(card, {}),
      },
    );
    await call('plain');
    expect(cards).toHaveLength(10);
    expect(responses.at(-1)).toMatchObject({ error: { code: -32602 } });
  });

  it('does not run out of time while the user thinks', async () => {
    const system = stoppedClock();
    const { call } = await asking([form({})], {
      deps: { system },
      async answer(card) {
        await system.pass(3_600_000);
        return yes(card, {});
      },
    });
    expect(await call('plain')).toMatchObject({ parts: [{ text: 'ok' }] });
  });

  it('is not asked where the user has switched its questions off', async () => {
    const { call, cards, responses, declared } = await asking([form({})], { choices: { questions: false } });
    await call('plain');
    expect([declared, cards]).toEqual([[{}], []]);
    expect(responses).toMatchObject([{ error: { code: -32601 } }]);
  });
});

describe('a server that asks on the stream for messages outside of calls', () => {
  it.each([
    ['a connector', true],
    ['an app of the store', false],
  ])('of %s asks in the call that runs, and none without one', async (_what, connector) => {
    const streams: ServerResponse[] = [];
    const answers: Response[] = [];
    let finish = () => {};
    const question = { jsonrpc: '2.0', ...form({ name: PROPERTIES.name }) };
    const { call, cards } = await openCalls(
      async () => {
        const answered = new Promise<void>((resolve) => {
          finish = resolve;
        });
        await expect.poll(() => streams.length).toBe(1);
        for (const stream of streams) event(stream, { ...question, id: 'during' });
        await answered;
        return text('ok');
      },
      {
        ...(connector && { app: CONNECTOR }),
        answer: (card) => yes(card, { name: 'Anna' }),
        server: {
          before({ message, response }) {
            if (message.method !== undefined) return false;
            answers.push(message as unknown as Response);
            response.writeHead(202).end();
            finish();
            return true;
          },
          serve: (listener) =>
            serveHere((url) => (request, response) => {
              if (request.method !== 'GET') return listener(url)(request, response);
              response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
              streams.push(response);
            }),
        },
      },
    );
    await call('plain');
    expect(questionIn(cards)).toMatchObject({ tool: 'plain' });
    expect(answers).toMatchObject([{ result: { action: 'accept', content: { name: 'Anna' } } }]);
    for (const stream of streams) event(stream, { ...question, id: 'after' });
    await expect.poll(() => answers.length).toBe(2);
    expect(answers[1]).toMatchObject({ id: 'after', error: { code: -32600 } });
    expect(cards).toHaveLength(1);
  });
});

describe('a server that asks to open a page', () => {
  const page = (url: string): Request => ({
    method: 'elicitation/create',
    params: { mode: 'url', message: 'Pay here.', url, elicitationId: '1' },
  });

  it('learns that the user agreed, and the card names the whole address', async () => {
    const { call, cards, responses } = await asking([page('https://pay.example/a?to=x#y')]);
    await call('plain');
    expect(questionIn(cards)).toMatchObject({ url: 'https://pay.example/a?to=x#y', fields: [] });
    expect(responses).toMatchObject([{ result: { action: 'accept' } }]);
  });

  it.each(['http://pay.example/', 'https://anna@pay.example/', 'file:///etc/passwd', 'javascript:alert(1)'])(
    'is refused for %s',
    async (url) => {
      const { call, cards, responses } = await asking([page(url)]);
      await call('plain');
      expect([cards, responses[0]?.error?.code]).toEqual([[], -32602]);
    },
  );

  it('is refused for an app of the store, whose hosts are reviewed', async () => {
    const { call, cards, responses, declared } = await asking([page('https://pay.example/')], {
      connector: false,
    });
    await call('plain');
    expect([declared, cards]).toEqual([[{ elicitation: { form: { applyDefaults: true } } }], []]);
    expect(responses[0]?.error?.code).toBe(-32602);
  });
});

describe('a server that asks the model', () => {
  const request: Request = {
    method: 'sampling/createMessage',
    params: {
      systemPrompt: 'Be brief.',
      messages: [{ role: 'user', content: { type: 'text', text: 'Capital of France?' } }],
      maxTokens: 1_000_000,
    },
  };
  const services = (asked: unknown[] = []): Partial<CallDeps> => ({
    services: {
      async sample(given) {
        asked.push(given);
        return { model: 'some-model', text: 'Paris.' };
      },
    },
  });

  it('gets an answer after the user agreed to the request and to the answer', async () => {
    const asked: unknown[] = [];
    const { call, cards, responses, declared } = await asking([request], {
      choices: { sampling: true },
      deps: services(asked),
    });
    await call('plain');
    const given = {
      system: 'Be brief.',
      messages: [{ role: 'user', text: 'Capital of France?' }],
      maxTokens: 8_192,
    };
    expect(declared[0]).toHaveProperty('sampling');
    expect(asked).toEqual([given]);
    expect(cards).toMatchObject([
      { kind: 'sampling', ...given, reply: null },
      { kind: 'sampling', ...given, reply: { model: 'some-model', text: 'Paris.' } },
    ]);
    expect(responses).toMatchObject([
      {
        result: {
          ...{ role: 'assistant', model: 'some-model', stopReason: 'endTurn' },
          content: { type: 'text', text: 'Paris.' },
        },
      },
    ]);
  });

  it.each([
    ['the request', (card: Card) => card.kind === 'sampling' && card.reply !== null, 0],
    ['the answer', (card: Card) => card.kind === 'sampling' && card.reply === null, 1],
  ])('gets nothing when the user declines %s', async (_what, accepts, times) => {
    const asked: unknown[] = [];
    const { call, responses } = await asking([request], {
      choices: { sampling: true },
      deps: services(asked),
      answer: (card) => (accepts(card) ? yes(card) : { accepted: false }),
    });
    await call('plain');
    expect(asked).toHaveLength(times);
    expect(responses).toMatchObject([{ error: { message: expect.stringContaining('declined') } }]);
    expect(JSON.stringify(responses)).not.toContain('Paris');
  });

  it('is refused by default', async () => {
    const { call, cards, responses } = await asking([request], { deps: services() });
    await call('plain');
    expect([cards, responses[0]?.error?.code]).toEqual([[], -32601]);
  });

  it('is refused with more than texts', async () => {
    const image = { role: 'user', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } };
    const { call, cards, responses } = await asking(
      [{ ...request, params: { ...request.params, messages: [image] } }],
      { choices: { sampling: true }, deps: services() },
    );
    await call('plain');
    expect([cards, responses[0]?.error?.code]).toEqual([[], -32602]);
  });
});

describe('a server that asks for folders', () => {
  const deps: Partial<CallDeps> = {
    services: { rootsOf: (project) => [{ uri: `file:///home/anna/${project}`, name: project }] },
  };

  it('gets those of the project of the call, where the user allows it', async () => {
    const { call, responses } = await asking([{ method: 'roots/list' }], { choices: { roots: true }, deps });
    await call('plain', { project: 'one' });
    await call('plain', { project: 'two' });
    expect(responses).toMatchObject(
      ['one', 'two'].map((name) => ({ result: { roots: [{ uri: `file:///home/anna/${name}`, name }] } })),
    );
  });

  it('gets none by default', async () => {
    const { call, responses } = await asking([{ method: 'roots/list' }], { deps });
    await call('plain');
    expect(responses).toMatchObject([{ error: { code: -32601 } }]);
  });
});

describe('a call that the server refuses until a page was opened', () => {
  const page = { mode: 'url' as const, url: 'https://a.example/x', message: 'Sign in', elicitationId: '1' };
  const refusal = (data: unknown) => Object.assign(new Error('Open it.'), { code: -32_042, data });
  const opening = (action: 'accept' | 'decline', error: unknown, opensPages = true) => {
    const asked: unknown[] = [];
    let calls = 0;
    const elicit = async (params: unknown) => {
      asked.push(params);
      return { action };
    };
    const result = openingPages(
      () => ({ elicit, opensPages }),
      async () => {
        calls += 1;
        if (calls === 1) throw error;
        return 'done';
      },
    );
    return result.catch((fault: Error) => fault.message).then((got) => ({ got, asked, calls }));
  };

  it('is made once more after the user opened it, and not without', async () => {
    const wanted = refusal({ elicitations: [page, { mode: 'form' }, 'x'] });
    expect(await opening('accept', wanted)).toEqual({ got: 'done', asked: [page], calls: 2 });
    expect(await opening('decline', wanted)).toMatchObject({
      calls: 1,
      got: expect.stringContaining('open'),
    });
    expect(await opening('accept', wanted, false)).toMatchObject({ got: 'Open it.', asked: [], calls: 1 });
    for (const data of [undefined, null, { elicitations: 'x' }, { elicitations: [] }])
      expect(await opening('accept', refusal(data))).toMatchObject({ asked: [], calls: 1 });
  });
});

describe('what a server may ask for', () => {
  const ALL = { questions: true, sampling: true, roots: true, media: true };
  const SERVICES: ServerServices = {
    sample: async () => ({ model: 'm', text: 'Hello.' }),
    rootsOf: () => Array.from({ length: 25 }, (_, n) => ({ uri: `file:///${n}`, name: `${n}` })),
    showsPages: true,
  };
  const connector = connectorApp('https://mcp.example.com/', false);

  function requesting({
    app = connector,
    services = SERVICES,
    ask = (async (card) => yes(card)) as Ask,
    project = 'project-1' as string | null,
  } = {}) {
    const choices = { ...ALL };
    const calls = createRunningCalls();
    const caller = new AbortController();
    const asking = {
      ask,
      services,
      app,
      calls,
      secrets: createSecrets(),
      connectorSettings: { of: () => choices },
    };
    const context: CallContext = {
      ...{
        tool: 'plain',
        project,
        chat: null,
        refresh: { isUsed: false },
        signal: caller.signal,
        limit: null,
      },
    };
    const inCall = <T>(work: () => Promise<T>): Promise<T> => callContext.run(context, work);
    return { requests: serverRequests(asking), choices, calls, caller, inCall, asking };
  }

  it.each<[string, Parameters<typeof requesting>[0], Partial<typeof ALL>, string[]]>([
    ['a connector', {}, {}, ['elicit', 'opensPages', 'showsPages', 'sample', 'roots']],
    ['a connector whose questions are off', {}, { questions: false }, ['showsPages', 'sample', 'roots']],
    [
      'a connector that may use no model',
      {},
      { sampling: false },
      ['elicit', 'opensPages', 'showsPages', 'roots'],
    ],
    [
      'a connector that sees no folders',
      {},
      { roots: false },
      ['elicit', 'opensPages', 'showsPages', 'sample'],
    ],
    ['a connector of a client without services', { services: {} }, {}, ['elicit', 'opensPages']],
    ['an app of the store', { app: panelApp({}) }, { questions: false }, ['elicit', 'opensPages']],
  ])('by %s', (_what, given, chosen, names) => {
    const { asking, choices } = requesting(given);
    Object.assign(choices, chosen);
    const requests = serverRequests(asking);
    expect(Object.keys(requests)).toEqual(names);
    expect(requests.opensPages).toBe(names.includes('opensPages') ? given?.app === undefined : undefined);
  });

  it('is refused once the user has switched it off, in the same session', async () => {
    const { requests, choices, inCall } = requesting();
    Object.assign(choices, { questions: false, sampling: false, roots: false });
    const all = [
      () => requests.elicit?.({} as never),
      () => requests.sample?.({} as never),
      () => requests.roots?.(),
    ];
    for (const request of all)
      await expect(inCall(async () => request())).rejects.toThrow('The user has switched this off.');
    const store = requesting({ app: panelApp({}) });
    store.choices.questions = false;
    const form = { message: 'Which?', requestedSchema: { type: 'object' as const, properties: {} } };
    const answer = await store.inCall(async () => store.requests.elicit?.(form));
    expect(answer).toMatchObject({ action: 'accept' });
  });

  const page = (url: string) => ({ mode: 'url', message: 'Pay.', url, elicitationId: '1' }) as const;
  const LONGEST = `https://pay.example/${'x'.repeat(1_980)}`;

  it('includes a page with an address of up to 2,000 characters', async () => {
    const { requests, inCall } = requesting();
    expect(LONGEST).toHaveLength(2_000);
    expect(await inCall(async () => requests.elicit?.(page(LONGEST)))).toStrictEqual({ action: 'accept' });
    for (const url of [`${LONGEST}x`, 'https://:secret@pay.example/', 'pay'])
      await expect(inCall(async () => requests.elicit?.(page(url)))).rejects.toThrow('has an https URL');
    const store = requesting({ app: panelApp({}) });
    await expect(store.inCall(async () => store.requests.elicit?.(page(LONGEST)))).rejects.toThrow(
      'opens no pages',
    );
  });

  it('is not answered after its call has ended', async () => {
    const { requests, inCall, caller } = requesting({
      ask: async (card) => {
        caller.abort(new Error('enough'));
        return yes(card);
      },
    });
    await expect(inCall(async () => requests.elicit?.(page(LONGEST)))).rejects.toThrow('enough');
  });

  it('belongs to no call that was aborted', async () => {
    const { calls, inCall, caller } = requesting();
    caller.abort(new Error('enough'));
    const asked = inCall(() => calls.during(() => calls.inCall(async (call) => call.tool)));
    await expect(asked).rejects.toThrow('No call is in progress.');
  });

  it('belongs to a call that runs, or to none', async () => {
    const { calls, inCall, requests } = requesting();
    const tool = async () => calls.inCall(async (call) => call.tool);
    const ends = Promise.withResolvers<void>();
    const running = inCall(() => calls.during(() => ends.promise));
    expect(await tool()).toBe('plain');
    ends.resolve();
    await running;
    await expect(tool()).rejects.toThrow('No call is in progress.');
    expect(await requests.roots?.()).toEqual({ roots: [] });
  });

  it('includes the folders of a project, at most twenty, and none without a project', async () => {
    const { requests, inCall } = requesting();
    expect((await inCall(async () => requests.roots?.()))?.roots).toHaveLength(20);
    const none = requesting({ project: null });
    expect(await none.inCall(async () => none.requests.roots?.())).toEqual({ roots: [] });
    const rootsOf = () => {
      throw new TypeError('a bug');
    };
    const broken = requesting({ services: { rootsOf } });
    await expect(broken.inCall(async () => broken.requests.roots?.())).rejects.toThrow('a bug');
  });

  const message = (...texts: string[]) => ({
    role: 'user' as const,
    content: texts.map((value) => ({ type: 'text' as const, text: value })),
  });
  it.each<[string, object, object | string]>([
    [
      'texts',
      { messages: [message('a', 'b')], maxTokens: 9.5 },
      { system: null, messages: [{ role: 'user', text: 'a\nb' }], maxTokens: 9 },
    ],
    [
      'an instruction',
      { messages: [], systemPrompt: '', maxTokens: 0 },
      { system: '', messages: [], maxTokens: 1 },
    ],
    [
      'fifty messages',
      { messages: Array.from({ length: 50 }, () => message('a')), maxTokens: 10_000 },
      { maxTokens: 8_192 },
    ],
    [
      'more messages',
      { messages: Array.from({ length: 51 }, () => message('a')), maxTokens: 1 },
      'at most 50 messages',
    ],
    [
      'a hundred thousand characters',
      { messages: [message('x'.repeat(99_999))], systemPrompt: 'x', maxTokens: 1 },
      { system: 'x' },
    ],
    [
      'more characters',
      { messages: [message('x'.repeat(99_999), 'x')], systemPrompt: 'x', maxTokens: 1 },
      'at most 100000 characters',
    ],
    [
      'a picture',
      {
        messages: [{ role: 'user', content: { type: 'image', data: '', mimeType: 'image/png' } }],
        maxTokens: 1,
      },
      'takes texts only',
    ],
  ])('includes a model, for %s', async (_what, params, expected) => {
    const asked: unknown[] = [];
    const services: ServerServices = {
      sample: async (request) => {
        asked.push(request);
        return { model: 'm', text: 'Hello.' };
      },
    };
    const { requests, inCall } = requesting({ services });
    const answer = inCall(async () => requests.sample?.(params as never));
    if (typeof expected === 'string') await expect(answer).rejects.toThrow(expected);
    else {
      expect(await answer).toMatchObject({ model: 'm', content: { text: 'Hello.' } });
      expect(asked).toMatchObject([expected]);
    }
  });

  it.each<[string, unknown, string[]]>([
    ['pages', { code: -32_042, data: { elicitations: ['1', '2', '3', '4'].map(page) } }, ['1', '2', '3']],
    [
      'what is no page',
      {
        code: -32_042,
        data: {
          elicitations: [
            null,
            5,
            { ...page('1'), mode: 'form' },
            { ...page('1'), url: 5 },
            { ...page('1'), message: 5 },
          ],
        },
      },
      [],
    ],
    ['no list', { code: -32_042, data: { elicitations: 5 } }, []],
    ['nothing', { code: -32_042 }, []],
    ['another code', { code: -32_000, data: { elicitations: [page('1')] } }, []],
  ])('includes %s before a call is made again', async (_what, error, opened) => {
    const urls: string[] = [];
    let isFirst = true;
    const call = async () => {
      if (!isFirst) return 'done';
      isFirst = false;
      throw error;
    };
    const elicit: ServerRequests['elicit'] = async (params) => {
      urls.push((params as { url: string }).url);
      return { action: 'accept' };
    };
    const made = openingPages(() => ({ elicit, opensPages: true }), call);
    if (opened.length > 0) expect(await made).toBe('done');
    else await expect(made).rejects.toBe(error);
    expect(urls).toEqual(opened);
  });
});
