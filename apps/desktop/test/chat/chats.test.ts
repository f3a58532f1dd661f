import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { lastResults, lastUserText } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it } from 'vitest';
import { createConversations } from '../../src/chat/chat-database.ts';
import { openChatDatabase } from '../../src/chat/chat-schema.ts';
import type { DesktopEvent } from '../../src/wire/events.ts';
import { agree, approvalsIn, callsOf, fakeApp, openChatDesktop, textOf } from '../support/chat-desktop.ts';
import { openPage, openTestDesktop } from '../support/test-desktop.ts';

const KEY = 'sk-very-secret-0123456789';

describe('a conversation', () => {
  it('streams an answer to every page, and keeps it', async () => {
    const heard: DesktopEvent[] = [];
    // Pieces that arrive together are one: the second one is sent when the first one is shown.
    const sent = (piece: string) => eventually(() => expect(JSON.stringify(heard)).toContain(piece.trim()));
    const { page, say, messages, chat } = await openChatDesktop(() => ({
      text: ['Hel', 'lo ', 'there'],
      sent,
    }));
    await page.listen(undefined, heard);
    expect(textOf(await say('Hi'))).toBe('Hello there');
    expect((await messages()).map(({ role, status }) => [role, status])).toEqual([
      ['user', 'done'],
      ['assistant', 'done'],
    ]);
    await eventually(() => {
      const streamed = heard.flatMap((event) => (event.type === 'chat-text' ? [event.text] : []));
      expect(streamed.join('')).toBe('lo there');
    });
    const { body } = await page.call('chats.list', { project: 'project-1', q: 'lo the' });
    expect(body.chats.map(({ id, title }) => [id, title])).toEqual([[chat, 'Hi']]);
    expect((await page.call('chats.list', { project: 'project-1', q: 'lo%the' })).body.chats).toEqual([]);
  });

  it('keeps the branches of edits and retries, and shows the selected one', async () => {
    let n = 0;
    const { page, say, messages, ended, chat } = await openChatDesktop((request) => {
      n += 1;
      return { text: [`${n}: ${lastUserText(request)}`] };
    });
    const first = await say('one');
    await page.call('chats.retry', { chat, message: first.id });
    expect(textOf(await ended())).toBe('2: one');
    expect(textOf(await say('other', { after: null }))).toBe('3: other');
    const [edited] = await messages();
    expect(edited?.branches).toHaveLength(2);
    await page.call('chats.select', { chat, message: first.id });
    expect((await messages()).map(textOf)).toEqual(['one', '1: one']);
    const { markdown } = (await page.call('chats.export', { chat })).body;
    expect(markdown).toContain('## You\n\none\n\n## Assistant');
  });

  it('answers again with another model, which goes on', async () => {
    const asked: unknown[] = [];
    const { page, provider, say, ended, messages, chat } = await openChatDesktop((request) => {
      asked.push(request.model);
      return { text: ['An answer'] };
    });
    const first = await say('one');
    const model = { provider, model: 'another' };
    await page.call('chats.retry', { chat, message: first.id, model });
    expect((await ended()).model).toBe('another');
    expect((await messages())[1]?.branches).toHaveLength(2);
    expect((await page.call('chats.open', { chat })).body.chat.model).toEqual(model);
    expect(asked.at(-1)).toBe('another');
  });

  it('deletes what a message says, for the page and for the model, and keeps what follows', async () => {
    const asked: string[] = [];
    const { page, say, messages, chat } = await openChatDesktop((request) => {
      asked.push(JSON.stringify(request.messages));
      return { text: [asked.length === 1 ? 'a crafted answer' : 'fine'] };
    });
    const crafted = await say('one');
    await say('two');
    expect((await page.call('chats.removeMessage', { chat, message: crafted.id })).status).toBe(200);
    const [said] = await messages();
    await page.call('chats.removeMessage', { chat, message: said?.id ?? 0 });
    expect((await messages()).map(textOf)).toEqual(['', '', 'two', 'fine']);
    await say('three');
    expect(asked.at(-1)).not.toMatch(/crafted|"one"/);
    expect(asked.at(-1)).toContain('two');
  });

  it('stops an endless answer from any window, and refuses a second message while it runs', async () => {
    const opened = await openChatDesktop(() => ({ text: ['and '], end: 'hang' }));
    const { page, chat, messages } = opened;
    await page.call('chats.send', { chat, text: 'Go on', files: [] });
    const other = await openPage(opened);
    const second = await other.call('chats.send', { chat, text: 'And I?', files: [] });
    expect(second).toMatchObject({ status: 409, body: { code: 'busy' } });
    await eventually(async () => expect(textOf((await messages())[1] as never)).toBe('and '));
    await other.call('chats.stop', { chat });
    expect((await messages()).map(({ status }) => status)).toEqual(['done', 'stopped']);
  });

  it('sends the same events to two windows, and closes a card in one when it is answered in the other', async () => {
    const app = fakeApp('notes', 'x');
    const opened = await openChatDesktop(
      (request) =>
        lastResults(request).length > 0
          ? { text: ['All ', 'done'] }
          : { text: ['I call'], calls: [{ name: request.tools?.[0]?.function.name ?? '', arguments: {} }] },
      [app],
    );
    const { page, say, chat } = opened;
    const other = await openPage(opened);
    const [here, there] = [await page.listen(), await other.listen()];
    const saying = say('Hi');
    const [card] = await eventually(() => {
      const found = approvalsIn(there);
      expect(found).toHaveLength(1);
      return found;
    });
    const answer = { accepted: true, binding: card?.card.binding ?? '' } as const;
    expect((await other.call('cards.answer', { cardId: card?.id ?? '', answer })).status).toBe(200);
    const said = await saying;
    // The card is closed in this window too: a second answer is refused.
    expect((await page.call('cards.answer', { cardId: card?.id ?? '', answer })).status).toBe(404);
    expect(app.called).toHaveLength(1);
    const ofChat = (heard: readonly DesktopEvent[]) => heard.filter((event) => 'rev' in event);
    await eventually(() => {
      for (const heard of [here, there]) {
        expect(heard).toContainEqual({ type: 'card-gone', cardId: card?.id });
        expect(ofChat(heard).at(-1)).toMatchObject({ message: { status: 'done' } });
      }
    });
    expect(ofChat(here)).toEqual(ofChat(there));
    // No event is sent twice: each change has its own number.
    const revs = ofChat(here).map((event) => ('rev' in event ? event.rev : 0));
    expect(new Set(revs).size).toBe(revs.length);
    for (const one of [page, other])
      expect((await one.call('chats.open', { chat })).body.messages.at(-1)).toEqual(said);
  });

  it('notifies every window when its model changes, and sends its own parameters', async () => {
    const opened = await openChatDesktop(() => ({ text: ['x'] }));
    const { page, chat, provider, say, model } = opened;
    await page.call('chats.change', { chat, params: { temperature: 0.5, maxTokens: 99 } });
    await say('Hi');
    expect(model.requests.at(-1)).toMatchObject({ temperature: 0.5, max_tokens: 99 });
    const there = await (await openPage(opened)).listen();
    await page.call('chats.change', { chat, model: { provider, model: 'other' } });
    await eventually(() => expect(there.map(({ type }) => type)).toContain('chats'));
    expect((await page.call('chats.open', { chat })).body.chat.model).toEqual({ provider, model: 'other' });
  });

  it('is deleted together with its attachments', async () => {
    const { page, say, chat } = await openChatDesktop(() => ({ text: ['x'] }));
    const upload = (await page.upload('note.txt', Buffer.from('hello'))).json() as { id: string };
    await say('Look', { files: [upload.id] });
    const [question] = (await page.call('chats.open', { chat })).body.messages;
    const part = question?.parts[0];
    const place = `/attachments/${part?.type === 'file' ? part.file.id : ''}`;
    expect((await page.get(place)).body.toString()).toBe('hello');
    await page.call('chats.remove', { chat });
    expect((await page.call('chats.open', { chat })).status).toBe(404);
    expect((await page.get(place)).status).toBe(422);
  });

  it('keeps a draft with its files for every window until it is sent, and shows the model the ticked text', async () => {
    const opened = await openChatDesktop(() => ({ text: ['ok'] }));
    const { page, chat, model, ended } = opened;
    const place = { project: 'project-1', chat };
    const upload = (await page.upload('note.md', Buffer.from('# Hello'))).json() as { id: string };
    await page.call('chats.saveDraft', { ...place, text: 'Read', files: [upload.id], after: null });
    const other = await openPage(opened);
    const { draft } = (await other.call('chats.draft', place)).body;
    expect(draft).toMatchObject({ text: 'Read', files: [{ id: upload.id, name: 'note.md' }], after: null });
    expect((await other.get(`/attachments/${upload.id}`)).body.toString()).toBe('# Hello');
    expect((await other.call('chats.draft', { project: 'project-1' })).body.draft.text).toBe('');
    // The session that uploaded the file is not needed to send it.
    const files = [{ id: upload.id, shown: true, text: '# Hello' }];
    await other.call('chats.send', { chat, text: 'Read', files });
    await ended();
    const said = JSON.stringify(model.requests.at(-1));
    expect(said).toContain('Content of the file');
    expect(said).toContain('# Hello');
    expect((await page.call('chats.draft', place)).body.draft).toEqual({ text: '', files: [] });
    expect((await page.get(`/attachments/${upload.id}`)).status).toBe(422);
  });

  it('returns the answer so far, and its revision, when it is opened during an answer', async () => {
    const app = fakeApp('notes', 'x');
    const opened = await openChatDesktop(
      ({ tools }) => ({
        text: ['I ', 'call'],
        calls: [{ name: tools?.[0]?.function.name ?? '', arguments: {} }],
      }),
      [app],
    );
    const { page, chat, messages } = opened;
    const heard = await page.listen();
    await page.call('chats.send', { chat, text: 'Go on', files: [] });
    await eventually(() => expect(approvalsIn(heard)).toHaveLength(1));
    // The answer is saved only twice a second; a page must not wait for that.
    const { body } = await page.call('chats.open', { chat });
    expect(body.messages[1]).toMatchObject({
      status: 'running',
      parts: [{ text: 'I call' }, { type: 'call' }],
    });
    const [waiting] = callsOf(body.messages[1] as never);
    expect(waiting?.cards).toMatchObject([{ id: approvalsIn(heard)[0]?.id, state: 'waiting' }]);
    const revs = heard.flatMap((event) => ('rev' in event ? [event.rev] : []));
    expect(body.rev).toBe(Math.max(...revs));
    await page.call('chats.stop', { chat });
    expect((await messages())[1]).toMatchObject({ status: 'stopped' });
  });

  it('shows a running answer of another desktop on the same folder, and refuses to change it', async () => {
    const { chat, page, messages, folder } = await openChatDesktop(() => ({ text: ['so far'], end: 'hang' }));
    await page.call('chats.send', { chat, text: 'Keep this', files: [] });
    await eventually(async () => expect(textOf((await messages())[1] as never)).toBe('so far'));
    const second = await openPage(await openTestDesktop({ folder }));
    const { body } = await second.call('chats.open', { chat });
    expect(body).toMatchObject({ chat: { running: true }, messages: [{}, { status: 'running' }] });
    const sent = await second.call('chats.send', { chat, text: 'And I?', files: [] });
    expect(sent).toMatchObject({ status: 409, body: { code: 'busy' } });
    expect((await second.call('chats.stop', { chat })).status).toBe(409);
    await page.call('chats.stop', { chat });
    const after = await second.call('chats.open', { chat });
    expect(after.body).toMatchObject({ chat: { running: false }, messages: [{}, { status: 'stopped' }] });
  });
});

describe('requests to a model', () => {
  it('send the key in their header only; no response to a page and no file contains it', async () => {
    const { page, say, model, provider, folder, chat } = await openChatDesktop(() => ({ text: ['ok'] }), [], {
      key: KEY,
    });
    await say('Hi');
    expect(model.keys.at(-1)).toBe(`Bearer ${KEY}`);
    const shown = [
      await page.call('models.list', {}),
      await page.call('models.test', { provider }),
      await page.call('chats.open', { chat }),
      model.requests,
    ];
    expect(JSON.stringify(shown)).not.toContain(KEY);
    for (const name of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!name.isFile()) continue;
      expect((await readFile(path.join(name.parentPath, name.name))).includes(KEY)).toBe(false);
    }
  });

  it.each([
    ['key', { status: 401, message: 'no' }],
    ['busy', { status: 429, message: 'slow down' }],
    ['model', { status: 404, message: 'no such model' }],
    ['failed', { status: 500, message: 'oops' }],
  ])('report why they fail: %s', async (code, error) => {
    const { say } = await openChatDesktop(() => ({ error }));
    expect(await say('Hi')).toMatchObject({ status: 'failed', fault: { code } });
  });

  it('are tried before a provider is saved, which tells a wrong address from a wrong model; a key stays with its address', async () => {
    const { page, model, provider } = await openChatDesktop(
      (request) =>
        request.model === 'none' ? { error: { status: 404, message: 'no such model' } } : { text: ['yes'] },
      [],
      { key: KEY },
    );
    const check = async (more: { baseUrl?: string; model?: string; key?: string | null }) =>
      (await page.call('models.check', { baseUrl: model.baseUrl, key: KEY, ...more })).body;
    expect(await check({})).toMatchObject({ models: [expect.any(String)], fault: null });
    expect(await check({ baseUrl: `${model.baseUrl}/nowhere` })).toMatchObject({
      fault: { code: 'address' },
    });
    expect(await check({ model: 'none' })).toMatchObject({ fault: { code: 'model' } });
    expect(await check({ model: 'any' })).toMatchObject({ fault: null });
    const edit = { provider, name: 'Renamed', baseUrl: model.baseUrl };
    expect((await page.call('models.edit', edit)).body.provider).toMatchObject({
      name: 'Renamed',
      hasKey: true,
    });
    const elsewhere = await page.call('models.edit', { ...edit, baseUrl: 'https://evil.example/v1' });
    expect(elsewhere).toMatchObject({ status: 400 });
    const asked = { baseUrl: 'http://127.0.0.1:1/v1', key: null, provider };
    expect((await page.call('models.check', asked)).body.fault?.code).toBe('unreachable');
    await page.call('models.add', {
      name: 'Second',
      baseUrl: 'http://127.0.0.1:1/v1',
      key: null,
      model: 'mine',
    });
    const [, second] = (await page.call('models.list', {})).body.providers;
    await page.call('models.move', { provider: second?.id ?? '', by: -1 });
    expect((await page.call('models.list', {})).body.providers.map(({ name }) => name)).toEqual([
      'Second',
      'Renamed',
    ]);
  });

  it('report an answer that was cut off, and a provider that is down', async () => {
    const { say, model } = await openChatDesktop(() => ({ text: ['half'], end: 'cut' }));
    expect(await say('Hi')).toMatchObject({ status: 'failed', parts: [{ text: 'half' }] });
    await model.close();
    expect(await say('Again')).toMatchObject({ status: 'failed', fault: { code: 'unreachable' } });
  });

  it('leave out old messages when the conversation exceeds the context of the model, and report it', async () => {
    const opened = await openChatDesktop(({ messages }) =>
      messages.length > 4
        ? { error: { status: 400, message: 'maximum context length exceeded' } }
        : { text: ['fits'] },
    );
    await opened.say('one');
    await opened.say('two');
    const answer = await opened.say('three');
    expect(textOf(answer)).toBe('fits');
    expect(answer.parts).toContainEqual({ type: 'notice', code: 'trimmed' });
  });

  it('report nothing left out when a conversation begins with a greeting of the assistant', async () => {
    const { say, folder, chat } = await openChatDesktop(() => ({ text: ['ok'] }));
    const database = openChatDatabase(path.join(folder, 'chats.sqlite'));
    const greeting = { parts: [], status: 'done' as const, fault: null, model: null };
    createConversations(database, () => new Date(0)).add(chat, null, 'assistant', greeting);
    database.close();
    expect((await say('Hi')).parts.map(({ type }) => type)).toEqual(['text']);
  });

  it('report old messages that were left out because there are too many', async () => {
    const { say, folder, chat } = await openChatDesktop(() => ({ text: ['ok'] }));
    const { id } = await say('first');
    const database = openChatDatabase(path.join(folder, 'chats.sqlite'));
    const conversations = createConversations(database, () => new Date(0));
    let parent = id;
    database.exec('begin');
    for (let n = 0; n < 400; n += 1) {
      const written = { parts: [], status: 'done' as const, fault: null, model: null };
      parent = conversations.add(chat, parent, n % 2 === 0 ? 'user' : 'assistant', written).id;
    }
    database.exec('commit');
    database.close();
    expect((await say('last')).parts).toContainEqual({ type: 'notice', code: 'trimmed' });
  });

  it('are repeated without tools when the model does not support tools', async () => {
    const script = fakeApp('notes', 'x');
    const { say } = await openChatDesktop(
      ({ tools }) =>
        tools
          ? { error: { status: 400, message: 'This model does not support tools' } }
          : { text: ['words only'] },
      [script],
    );
    const answer = await say('Hi');
    expect(answer.parts).toContainEqual({ type: 'notice', code: 'no-tools' });
    expect(textOf(answer)).toBe('words only');
  });

  it('stop after twelve tool calls, and ask whether to continue', async () => {
    const app = fakeApp('notes', 'more');
    const { say, page, chat } = await openChatDesktop(
      ({ tools }) => ({ calls: [{ name: tools?.[0]?.function.name ?? '', arguments: {} }] }),
      [app],
    );
    const heard = await page.listen();
    const saying = say('Loop');
    await agree({ page, heard }, 0, { allowInChat: true });
    const answer = await saying;
    expect(answer.status).toBe('asks');
    expect(callsOf(answer)).toHaveLength(12);
    expect(approvalsIn(heard)).toHaveLength(1);
    expect((await page.call('chats.open', { chat })).body.chat.running).toBe(false);
  });
});
