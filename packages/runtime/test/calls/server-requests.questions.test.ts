import type { ServerResponse } from 'node:http';
import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it } from 'vitest';
import type { Answer, Card, QuestionCard } from '../../src/cards/card.ts';
import {
  asking,
  CONNECTOR,
  form,
  type QuestionContent,
  type Request,
  type Response,
  yes,
} from '../support/asking-server.ts';
import { openCalls, TOKEN, tokensOf } from '../support/calls.ts';
import { event, text } from '../support/mcp-server.ts';
import { stoppedClock } from '../support/stopped-clock.ts';

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
