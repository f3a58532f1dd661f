import { describe, expect, it } from 'vitest';
import type { CallDeps } from '../../src/calls/calls.ts';
import type { Card } from '../../src/cards/card.ts';
import { asking, type Request, yes } from '../support/asking-server.ts';

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
