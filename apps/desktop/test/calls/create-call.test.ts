import { setImmediate } from 'node:timers/promises';
import type { CallResult, Card } from '@svc/runtime';
import { expect, it } from 'vitest';
import { createCall, masked } from '../../src/calls/create-call.ts';
import { createPromptQueue } from '../../src/cards/prompt-queue.ts';
import { createPageEvents } from '../../src/events/page-events.ts';
import type { DesktopEvent } from '../../src/wire/events.ts';

const TOKENS = [
  'Bearer abcdefgh12345',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
  'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
  'sk-proj-abcdefghijklmnop',
  'svcp_0123456789abcdefghijABCDEFGHIJKLMNO',
  'k7Qm2ZxT9wLr4VbN8sPd1HfJ6cYg3UaE',
];

it.each(TOKENS)('masks a value that looks like a token: %s', (token) => {
  for (const value of [token, `It is ${token}, said the server.`, { note: [token] }, { [token]: 1 }])
    expect(masked(value)).not.toContain(token.split(' ').at(-1));
});

it.each(['password', 'access_token', 'clientSecret', 'Authorization', 'api-key', 'cookie'])(
  'masks the value of a field with a secret name: %s',
  (name) => {
    expect(masked({ deep: [{ [name]: 'hunter2' }] })).toBe(`{"deep":[{"${name}":"[masked]"}]}`);
  },
);

it('leaves other values readable', () => {
  expect(masked({ note: 'n-1', count: 2, on: true, none: null })).toBe(
    '{"note":"n-1","count":2,"on":true,"none":null}',
  );
});

it('returns one short line without control characters', () => {
  const line = masked([
    'a\nb\u001b[31m\u202e',
    'x '.repeat(1_000_000),
    ...Array.from({ length: 100 }, () => 'more'),
  ]);
  expect(line).not.toMatch(/\p{C}/u);
  expect(line.length).toBeLessThanOrEqual(600);
});

it('leaves no part of a token where a text is truncated', () => {
  const [token = ''] = TOKENS.slice(-1);
  const long = `${`${token} `.repeat(48)}${token}`;
  expect(masked(long.slice(0, 1_590) + token)).not.toMatch(/k7Qm/);
});

const APP = 'com.example.notes';
const RESULT: CallResult = { isError: false, parts: [], structured: null, files: [] };
const cardOf = (kind: string) => ({ kind, app: { appId: APP } }) as unknown as Card;

it('says when a call began, how long it took, and how much of that waited for the user', async () => {
  let now = 1_000;
  let ids = 0;
  const newId = () => String(++ids);
  const events = createPageEvents(() => undefined);
  const prompts = createPromptQueue({ now: () => new Date(now), newId });
  const told: DesktopEvent[] = [];
  events.subscribe(null, (event) => told.push(event));
  /** Lets time pass, and answers the oldest card. */
  const after = async (ms: number, answer = true) => {
    await setImmediate();
    now += ms;
    const [card] = answer ? prompts.waiting() : [];
    if (card) prompts.answer(card.id, { accepted: true });
  };
  const signal = new AbortController().signal;
  const signIn = (type: 'sign-in-started' | 'sign-in-ended', appId = APP) =>
    events.emit({ type: 'runtime', event: { type, appId, accountId: 'a' } as never });
  const call = createCall({
    ...{ events, prompts, newId, system: { now: () => now } },
    runtime: {
      async call() {
        await after(10, false);
        // A sign-in that no card of this call began is not waited for.
        signIn('sign-in-started');
        await after(1, false);
        signIn('sign-in-ended');
        const connect = prompts.ask(cardOf('connect'), signal);
        await after(100);
        await connect;
        signIn('sign-in-started');
        await after(1_000, false);
        signIn('sign-in-ended', 'com.example.other');
        await after(1_000, false);
        signIn('sign-in-ended');
        // Two cards at once: the time counts once.
        const both = [prompts.ask(cardOf('approval'), signal), prompts.ask(cardOf('approval'), signal)];
        await after(300);
        await after(50);
        await Promise.all(both);
        await after(7, false);
        return RESULT;
      },
    },
  });
  const asker = { name: 'codex', ask: async () => null };
  await call(asker, { appId: APP, callId: 'c', tool: 'add', arguments: {}, project: 'p', signal } as never);
  expect(told.find(({ type }) => type === 'call-log')).toMatchObject({
    ...{ at: new Date(1_000).toISOString(), asker: 'codex' },
    ...{ ms: 2_468, waitedMs: 2_450, outcome: 'answered' },
  });
});
