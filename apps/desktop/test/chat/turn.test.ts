import { defaultSystem } from '@svc/runtime';
import { lastResults, type ModelRequest } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it } from 'vitest';
import type { ChatCall } from '../../src/wire/chat.ts';
import { agree, approvalsIn, callsOf, fakeApp, openChatDesktop, textOf } from '../support/chat-desktop.ts';

const toolsOf = ({ tools = [] }: ModelRequest): string[] => tools.map(({ function: { name } }) => name);

/** A model that calls each tool once, and then answers `done`. */
const callEach = (request: ModelRequest) =>
  lastResults(request).length > 0
    ? { text: ['done'] }
    : { calls: toolsOf(request).map((name) => ({ name, arguments: {} })) };

describe('the calls of a step', () => {
  it('run concurrently', async () => {
    let arrived = 0;
    const both = Promise.withResolvers<void>();
    const wait = () => {
      arrived += 1;
      if (arrived === 2) both.resolve();
      return both.promise;
    };
    const apps = [fakeApp('first', 'a', { wait }), fakeApp('second', 'b', { wait })];
    const { page, say } = await openChatDesktop(callEach, apps);
    const heard = await page.listen();
    const saying = say('Both');
    await Promise.all([agree({ page, heard }, 0), agree({ page, heard }, 1)]);
    const answer = await saying;
    expect(callsOf(answer).map(({ app, state }) => [app, state])).toEqual([
      ['first', 'answered'],
      ['second', 'answered'],
    ]);
  });

  it('are limited to 16; the next one is refused', async () => {
    const app = fakeApp('notes', 'x');
    const { page, say, model } = await openChatDesktop(
      (request) =>
        lastResults(request).length > 0
          ? { text: ['done'] }
          : { calls: Array.from({ length: 17 }, () => ({ name: 'notes__send', arguments: {} })) },
      [app],
    );
    const heard = await page.listen();
    const saying = say('Many');
    await eventually(() => expect(approvalsIn(heard)).toHaveLength(16));
    for (const { id } of approvalsIn(heard))
      await page.call('cards.answer', { cardId: id, answer: { accepted: false } });
    const calls = callsOf(await saying);
    expect(calls).toHaveLength(17);
    expect(calls.at(-1)).toMatchObject({ state: 'refused', code: 'too-many' });
    expect(app.called).toEqual([]);
    expectOwnWords(calls, model);
  });
});

/** The user reads what happened, the model what to do: no row has words for the model, which gets none of the row's. */
function expectOwnWords(calls: readonly ChatCall[], model: { requests: ModelRequest[] }): void {
  const refused = calls.filter(({ state }) => state === 'refused');
  expect(refused.length).toBeGreaterThan(0);
  const results = lastResults(model.requests.at(-1) as ModelRequest).map((text) => JSON.parse(text));
  for (const call of refused) {
    expect(call.text).not.toMatch(/\bthe user\b|\bstep\b/i);
    const { result } = results[calls.indexOf(call)];
    expect(result).toMatch(/the user|next step/);
    expect(result).not.toContain(call.text);
  }
}

describe('a tool call', () => {
  it('is stopped together with the answer, which keeps its earlier text', async () => {
    const app = fakeApp('notes', 'x', {
      wait: (signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    const { page, say, chat } = await openChatDesktop(
      (request) => ({ text: ['I call '], ...callEach(request) }),
      [app],
    );
    const heard = await page.listen();
    const saying = say('Wait');
    await agree({ page, heard });
    await eventually(() => expect(app.called).toHaveLength(1));
    await page.call('chats.stop', { chat });
    const answer = await saying;
    expect([answer.status, textOf(answer)]).toEqual(['stopped', 'I call ']);
    expect(callsOf(answer)).toMatchObject([{ state: 'refused', code: 'stopped' }]);
  });

  it('can be stopped alone: the model receives the refusal, and the answer continues', async () => {
    // The app ignores the abort signal too.
    const never = fakeApp('never', 'x', { wait: () => new Promise(() => undefined) });
    const quick = fakeApp('quick', 'here');
    const { page, say, chat, messages, model } = await openChatDesktop(callEach, [never, quick]);
    const heard = await page.listen();
    const saying = say('Both');
    await Promise.all([agree({ page, heard }, 0), agree({ page, heard }, 1)]);
    const rows = async () => callsOf((await messages())[1] as never);
    const [row] = await eventually(async () => {
      const [first, second] = await rows();
      expect([first?.app, second?.state]).toEqual(['never', 'answered']);
      return [first];
    });
    expect(Date.parse(row?.until ?? '')).toBeGreaterThan(0);
    expect((await page.call('chats.stopCall', { chat, call: 'another' })).status).toBe(200);
    expect((await rows())[0]?.state).toBe('running');
    await page.call('chats.stopCall', { chat, call: row?.id ?? '' });
    const answer = await saying;
    expect([answer.status, textOf(answer)]).toEqual(['done', 'done']);
    expect(callsOf(answer)).toMatchObject([
      { app: 'never', state: 'refused', code: 'stopped', until: null },
      { app: 'quick', state: 'answered', until: null },
    ]);
    const [refusal] = lastResults(model.requests.at(-1) as ModelRequest);
    expect(JSON.parse(refusal ?? '')).toMatchObject({ failed: true, code: 'stopped' });
    expect(refusal).toContain('The user stopped this call.');
    expectOwnWords(callsOf(answer), model);
  });

  it('is refused at its time limit, which is shown only while no card waits for the user', async () => {
    const late = Promise.withResolvers<void>();
    const LIMIT_MS = 120_000;
    const system = {
      ...defaultSystem,
      sleep: (ms: number, signal?: AbortSignal) =>
        ms === LIMIT_MS ? late.promise : defaultSystem.sleep(ms, signal),
    };
    const app = fakeApp('notes', 'x', {
      wait: (signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    const { page, say, messages, model } = await openChatDesktop(callEach, [app], { system });
    const heard = await page.listen();
    const saying = say('Wait');
    const row = async () => callsOf((await messages())[1] as never)[0];
    await eventually(() => expect(approvalsIn(heard)).toHaveLength(1));
    expect(await row()).toMatchObject({ state: 'running', until: null });
    const before = Date.now();
    await agree({ page, heard });
    await eventually(() => expect(app.called).toHaveLength(1));
    expect(Date.parse((await row())?.until ?? '')).toBeGreaterThanOrEqual(before + LIMIT_MS);
    late.resolve();
    const answer = await saying;
    expect(answer.status).toBe('done');
    expect(callsOf(answer)).toMatchObject([{ state: 'refused', code: 'too-slow', until: null }]);
    expect(callsOf(answer)[0]?.text).toContain('within 120 seconds');
    expect(lastResults(model.requests.at(-1) as ModelRequest)[0]).toContain('too-slow');
  });

  it('is made once more as a branch that keeps what came before, and the model continues from there', async () => {
    let calls = 0;
    const app = fakeApp('notes', 'x', {
      async wait() {
        calls += 1;
        if (calls === 1) throw new Error('The server is down.');
      },
    });
    const { page, say, ended, chat } = await openChatDesktop(callEach, [app]);
    const heard = await page.listen();
    const saying = say('Go');
    await agree({ page, heard });
    const first = await saying;
    const [failed] = callsOf(first);
    expect(failed?.state).not.toBe('answered');
    expect(failed?.waitedMs).toBeGreaterThanOrEqual(0);
    await page.call('chats.retryCall', { chat, message: first.id, call: failed?.id ?? '' });
    await agree({ page, heard }, 1);
    const second = await ended();
    expect(callsOf(second).map(({ state, text }) => [state, text])).toEqual([['answered', 'x']]);
    expect(textOf(second)).toBe('done');
    expect(second.branches).toEqual([first.id, second.id]);
    expect((await page.call('chats.retryCall', { chat, message: second.id, call: 'none' })).status).toBe(400);
  });

  it('is refused, and its card is closed, when its app is switched off', async () => {
    const app = fakeApp('notes', 'x');
    const { page, say } = await openChatDesktop(callEach, [app]);
    const heard = await page.listen();
    const saying = say('Go');
    await eventually(() => expect(approvalsIn(heard)).toHaveLength(1));
    await page.call('apps.switch', { appId: 'notes', on: false, project: 'project-1' });
    const answer = await saying;
    expect(callsOf(answer)).toMatchObject([
      { state: 'refused', code: 'switched-off', cards: [{ state: 'gone' }] },
    ]);
    await eventually(() => expect(heard.map(({ type }) => type)).toContain('card-gone'));
    expect(answer.status).toBe('done');
    expect(app.called).toEqual([]);
  });

  it('is refused when its app is switched off before its card is accepted', async () => {
    const app = fakeApp('notes', 'x');
    const { page, say } = await openChatDesktop(callEach, [app]);
    const heard = await page.listen();
    const saying = say('Go');
    await eventually(() => expect(approvalsIn(heard)).toHaveLength(1));
    await page.call('apps.switch', { appId: 'notes', on: false, project: 'project-1' });
    await agree({ page, heard });
    const answer = await saying;
    expect(callsOf(answer)).toMatchObject([{ state: 'refused', code: 'switched-off' }]);
    expect(answer.status).toBe('done');
    expect(app.called).toEqual([]);
  });
});

describe('more than forty tools', () => {
  const apps = Array.from({ length: 41 }, (_, index) => fakeApp(`app${index}`, `topic${index} thing`));
  const step = (request: ModelRequest) => {
    const results = request.messages.filter(({ role }) => role === 'tool');
    if (results.length === 0) return { calls: [{ name: 'find_tools', arguments: { query: 'topic7' } }] };
    if (results.length > 1) return { text: ['done'] };
    const { result } = JSON.parse(String(results[0]?.content)) as { result: string };
    const [found] = (JSON.parse(result) as { tools: { name: string }[] }).tools;
    return { calls: [{ name: 'call_tool', arguments: { name: found?.name, arguments: { text: 'hi' } } }] };
  };

  it('are offered through a search, and a call through the search needs approval like any other', async () => {
    const { page, say, model } = await openChatDesktop(step, apps);
    const heard = await page.listen();
    const saying = say('Find');
    const card = await agree({ page, heard });
    expect(card).toMatchObject({ app: { appId: 'app7' }, arguments: { text: 'hi' } });
    const answer = await saying;
    expect(toolsOf(model.requests[0] as ModelRequest)).toEqual(['find_tools', 'call_tool']);
    expect(callsOf(answer).map(({ state }) => state)).toEqual(['answered', 'answered']);
    expect(apps[7]?.called).toHaveLength(1);
  });
});
