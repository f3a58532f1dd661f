import { lastUserText, type ModelRequest, SCRIPT_MODEL } from '@svc/testkit';
import { expect, it } from 'vitest';
import { openChatDesktop, textOf } from '../support/chat-desktop.ts';
import { openPage } from '../support/test-desktop.ts';

const isSummary = ({ messages }: ModelRequest): boolean =>
  String(messages[0]?.content).startsWith('Summarise');

const tooLong = { error: { status: 400, message: "This model's maximum context length is 8192 tokens." } };

it('goes on in a new conversation that begins with the summary and is linked to the old one', async () => {
  const { page, say, chat, model } = await openChatDesktop((request) =>
    isSummary(request) ? { text: ['They chose ', 'maple.'] } : { text: ['Maple it is.'] },
  );
  await page.call('chats.change', { chat, title: 'Trees', off: ['notes'], params: { temperature: 1 } });
  await say('Which tree?');
  const { body } = await page.call('chats.summarise', { chat });
  const next = body.chat?.id ?? '';
  expect(body).toMatchObject({
    chat: { title: 'Trees', off: ['notes'], params: { temperature: 1 } },
    fault: null,
  });
  const request = model.requests.find(isSummary);
  expect(
    lastUserText(request as ModelRequest)
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([{ user: 'Which tree?' }, { assistant: 'Maple it is.' }]);
  const opened = async (id: string) => (await page.call('chats.open', { chat: id })).body;
  const begun = await opened(next);
  expect(begun.messages.map(({ parts }) => parts)).toEqual([
    [
      {
        ...{ type: 'summary', from: { id: chat, title: 'Trees' } },
        ...{ text: 'They chose maple.', isShortened: false },
      },
    ],
  ]);
  expect(begun.linked).toEqual({ from: { id: chat, title: 'Trees' }, next: null });
  expect((await opened(chat)).linked).toEqual({ from: null, next: { id: next, title: 'Trees' } });
  // The model reads it as data, before what the user says.
  await page.call('chats.send', { chat: next, text: 'Why?', files: [] });
  await expect.poll(async () => (await opened(next)).messages.at(-1)?.status).toBe('done');
  const sent = JSON.stringify(model.requests.at(-1)?.messages);
  expect(sent).toContain('They chose maple.');
  expect(sent).not.toContain('Which tree?');
  const { markdown } = (await page.call('chats.export', { chat: next })).body;
  expect(markdown).toContain('They chose maple.');
  await page.call('chats.remove', { chat });
  expect((await opened(next)).linked).toEqual({ from: null, next: null });
});

it('summarises part by part what is too long for the model, and keeps the message that was not answered', async () => {
  const LIMIT = 9_000;
  const parts: string[] = [];
  const { page, say, chat } = await openChatDesktop((request) => {
    const text = JSON.stringify(request.messages);
    if (text.length > LIMIT) return tooLong;
    if (!isSummary(request)) return { text: ['Yes.'] };
    parts.push(lastUserText(request));
    return { text: [`Summary ${parts.length}`] };
  });
  for (const n of [1, 2, 3, 4]) await say(`${n} ${'word '.repeat(700)}`);
  const long = `unanswered ${'long '.repeat(3_000)}`;
  const failed = await say(long);
  expect(failed.fault?.code).toBe('context');
  const { body } = await page.call('chats.summarise', { chat });
  const next = body.chat?.id ?? '';
  expect(parts.length).toBeGreaterThan(1);
  expect(parts[1]).toContain('{"summary":"Summary 1"}');
  const all = parts.join('\n');
  for (const n of [1, 2, 3, 4]) expect(all).toContain(`"user":"${n} word`);
  expect(all).not.toContain('unanswered');
  const [first] = (await page.call('chats.open', { chat: next })).body.messages;
  expect(first?.parts).toMatchObject([{ type: 'summary', text: `Summary ${parts.length}` }]);
  const { draft } = (await page.call('chats.draft', { project: 'project-1', chat: next })).body;
  expect(draft.text).toBe(long);
});

it('makes no conversation where the model refuses, does not answer, or the page leaves', async () => {
  const hanging = Promise.withResolvers<void>();
  let answer: { text?: string[]; end?: 'hang'; error?: { status: number; message: string } } = tooLong;
  const { page, say, chat, port, opened } = await openChatDesktop((request) => {
    if (!isSummary(request)) return { text: ['Yes.'] };
    if (answer.end) hanging.resolve();
    return answer;
  });
  const none = await page.call('chats.summarise', { chat });
  expect([none.status, none.body.message]).toEqual([400, 'There is nothing to summarise yet.']);
  await say('Hello');
  const codes: unknown[] = [];
  for (const next of [tooLong, { text: ['  '] }]) {
    answer = next;
    codes.push((await page.call('chats.summarise', { chat })).body.fault?.code);
  }
  expect(codes).toEqual(['context', 'empty']);
  answer = { end: 'hang' };
  const leaving = new AbortController();
  const { bearer } = await openPage({ opened, port });
  const asked = fetch(`http://127.0.0.1:${port}/api/chats.summarise`, {
    ...{ method: 'POST', body: JSON.stringify({ chat }), signal: leaving.signal },
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
  });
  await hanging.promise;
  expect((await page.call('chats.summarise', { chat })).body.code).toBe('busy');
  leaving.abort();
  await expect(asked).rejects.toThrow();
  answer = { text: ['Now.'] };
  await expect.poll(async () => (await page.call('chats.summarise', { chat })).status).toBe(200);
  const { chats } = (await page.call('chats.list', { project: 'project-1' })).body;
  expect(chats).toHaveLength(2);
  expect(chats.every(({ model }) => model?.model === SCRIPT_MODEL)).toBe(true);
});

it('is sent with its conversation however long that gets', async () => {
  const { page, say, chat, model } = await openChatDesktop((request) => {
    const text = JSON.stringify(request.messages);
    if (isSummary(request)) return { text: ['The plan is 42.'] };
    return text.length > 12_000 ? tooLong : { text: ['Yes.'] };
  });
  await say('Hello');
  const { body } = await page.call('chats.summarise', { chat });
  const next = body.chat?.id ?? '';
  for (const n of [1, 2, 3, 4]) {
    await page.call('chats.send', { chat: next, text: `${n} ${'word '.repeat(900)}`, files: [] });
    await expect
      .poll(async () => (await page.call('chats.open', { chat: next })).body.messages.at(-1)?.status)
      .toBe('done');
  }
  const { messages } = (await page.call('chats.open', { chat: next })).body;
  expect(messages.at(-1)?.parts).toContainEqual({ type: 'notice', code: 'trimmed' });
  expect(textOf(messages.at(-1) as never)).toBe('Yes.');
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('The plan is 42.');
});
