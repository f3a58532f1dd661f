import { describe, expect, it } from 'vitest';
import { type CallContext, callContext } from '../../src/calls/authorised-fetch.ts';
import { createSecrets } from '../../src/calls/secrets.ts';
import {
  createRunningCalls,
  openingPages,
  type ServerRequests,
  type ServerServices,
  serverRequests,
} from '../../src/calls/server-requests.ts';
import type { Ask } from '../../src/cards/card.ts';
import { connectorApp } from '../../src/connectors/connector-app.ts';
import { yes } from '../support/asking-server.ts';
import { panelApp } from '../support/panel-app.ts';

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
