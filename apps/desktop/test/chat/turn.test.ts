import { lastResults, type ModelRequest } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it } from 'vitest';
import { agree, approvalsIn, callsOf, fakeApp, openChatDesktop, textOf } from '../support/chat-desktop.ts';

const toolsOf = ({ tools = [] }: ModelRequest): string[] => tools.map(({ function: { name } }) => name);

/** A model that calls each tool once, and then says that it is done. */
const callEach = (request: ModelRequest) =>
  lastResults(request).length > 0
    ? { text: ['done'] }
    : { calls: toolsOf(request).map((name) => ({ name, arguments: {} })) };

describe('the calls of a step', () => {
  it('run at the same time', async () => {
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

  it('are refused from the seventeenth on', async () => {
    const app = fakeApp('notes', 'x', { readOnly: true });
    const { page, say } = await openChatDesktop(
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
  });
});

describe('bad days of tools', () => {
  it('stops a tool that never answers, and keeps what came before', async () => {
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

  it('refuses a call whose app was switched off while its card waited', async () => {
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

  it('are searched, and a call through the search meets its card as any other', async () => {
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
