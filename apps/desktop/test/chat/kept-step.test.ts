import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DEEP, png } from '@svc/testkit';

import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../src/wire/chat.ts';
import { agree, callsOf, fakeApp, openChatOn, textOf } from '../support/chat-desktop.ts';
import { type Answer, type Body, FAMILIES, strictServer } from '../support/strict-providers.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { openPage, openTestDesktop } from '../support/test-desktop.ts';

const NAMES = Object.keys(FAMILIES);

/** The tests of a family that stand for those of all others of its protocol. */
const ofEach = (name: string) => (['openai', 'anthropic', 'google'].includes(name) ? {} : DEEP);

/** What the models of the streams think. */
const THOUGHTS: Readonly<Record<string, string>> = {
  deepseek: 'The user wants both sent.',
  kimi: 'Both, at once.',
  openrouter: 'The user wants both.',
  mistral: 'Both, at once.',
  groq: 'Both at once.',
  xai: 'Thinking...',
  minimax: 'Both, at once.',
  ollama: 'Both.',
  litellm: 'Both, at once.',
  anthropic: 'The user wants both.',
  google: '**Sending**\nBoth at once.',
};

/** The fields of a message of the assistant that every provider takes. */
const PLAIN = new Set(['role', 'content', 'tool_calls']);

it('has a stream for each family', () => {
  const files = readdirSync(join(import.meta.dirname, 'families'));
  expect(files.map((name) => name.replace('.jsonl', '')).sort()).toEqual([...NAMES].sort());
});

const SIGNATURES = /signature|EqQBCg|EmwKAh|EiQK|EvQC|ErUB|b3BhcXVl|_details|thinking_blocks|beside/;

/** A conversation with a model of a family, on a desktop with an app. */
async function openFamily(name: string, next?: (body: Body) => Answer | null) {
  const server = await strictServer(name, next);
  const notes = fakeApp('notes', 'sent');
  const folder = await tempFolder();
  const desktop = await openTestDesktop({ builtIn: [notes], folder });
  const { baseUrl, protocol } = server;
  const chat = await openChatOn(desktop, { baseUrl, protocol, model: 'm', key: 'sk-test' });
  /** Sends the message that the model answers with two calls, and allows them. */
  const sendBoth = async () => {
    const heard = await chat.page.listen();
    const saying = chat.say('Send both');
    await Promise.all([agree({ page: chat.page, heard }, 0), agree({ page: chat.page, heard }, 1)]);
    return saying;
  };
  return { ...chat, server, notes, desktop, folder, sendBoth };
}

const thoughtsIn = ({ parts }: ChatMessage): string =>
  parts.flatMap((part) => (part.type === 'reasoning' ? [part.text.trim()] : [])).join(' ');

describe.each(NAMES)('%s', (name) => {
  it('takes text, thoughts and calls, and gets back what it needs: now, later, after a retry and a restart', async () => {
    const { say, sendBoth, server, page, chat, messages, notes, desktop, folder, ended } =
      await openFamily(name);
    const answer = await sendBoth();
    expect(answer.fault).toBeNull();
    expect(callsOf(answer).map(({ arguments: args, state }) => [args, state])).toEqual([
      [{ text: 'a' }, 'answered'],
      [{ text: 'b' }, 'answered'],
    ]);
    expect([textOf(answer).trim(), thoughtsIn(answer)]).toEqual(['I send both.Done.', THOUGHTS[name] ?? '']);
    expect(notes.called).toHaveLength(2);
    expect(textOf(await say('And now?'))).toBe('Done.');
    await page.call('chats.retry', { chat, message: (await messages()).at(-1)?.id ?? 0 });
    expect(textOf(await ended())).toBe('Done.');
    const exported = await page.call('chats.export', { chat });
    expect(JSON.stringify([await messages(), exported.body])).not.toMatch(SIGNATURES);
    await desktop.opened.close();
    const again = await openPage(await openTestDesktop({ builtIn: [notes], folder }));
    await again.call('chats.send', { chat, text: 'Still there?', files: [] });
    await eventually(async () => {
      const { body } = await again.call('chats.open', { chat });
      expect(textOf(body.messages.at(-1) as ChatMessage)).toBe('Done.');
    });
    expect(server.refused).toEqual([]);
  });

  it(
    'shows a picture and the text of a PDF, and sends nothing of one model to another',
    ofEach(name),
    async () => {
      const { sendBoth, server, page, chat, messages } = await openFamily(name);
      await sendBoth();
      const other = await strictServer('openai', () => 'done');
      const { provider } = (
        await page.call('models.add', { name: 'B', baseUrl: other.baseUrl, key: 'sk-test' })
      ).body;
      await page.call('chats.change', { chat, model: { provider: provider.id, model: 'other' } });
      const picture = (await page.upload('a.png', png(4), { 'content-type': 'image/png' })).json() as {
        id: string;
      };
      const pdf = (await page.upload('a.pdf', Buffer.from('%PDF-1.4'))).json() as { id: string };
      const files = [
        { id: picture.id, shown: true, text: null },
        { id: pdf.id, shown: true, text: 'What the PDF says' },
      ];
      await page.call('chats.send', { chat, text: 'And these?', files });
      await eventually(async () => expect((await messages()).at(-1)?.status).toBe('done'));
      const [sent] = other.requests;
      const made = (sent?.messages ?? []).filter(({ role }) => role === 'assistant');
      expect(JSON.stringify(made)).not.toMatch(SIGNATURES);
      expect(made.every((message) => Object.keys(message).every((field) => PLAIN.has(field)))).toBe(true);
      // The same message, retried with the first model.
      const [first] = (await page.call('models.list', {})).body.providers;
      await page.call('chats.change', { chat, model: { provider: first?.id ?? '', model: 'm' } });
      await page.call('chats.retry', { chat, message: (await messages()).at(-1)?.id ?? 0 });
      await eventually(async () => expect(textOf((await messages()).at(-1) as ChatMessage)).toBe('Done.'));
      expect(JSON.stringify(server.requests.at(-1))).toContain('What the PDF says');
      expect(JSON.stringify(server.requests.at(-1))).toContain(Buffer.from(png(4)).toString('base64'));
      expect(server.refused).toEqual([]);
    },
  );

  it('says what is wrong in the words of the provider', ofEach(name), async () => {
    let next: Answer = 'busy';
    const { say } = await openFamily(name, () => next);
    expect((await say('One')).fault).toMatchObject({
      code: 'busy',
      message: expect.stringMatching(/overloaded/i),
    });
    next = 'wrongKey';
    expect((await say('Two')).fault).toMatchObject({
      code: 'key',
      message: expect.stringContaining('invalid x-api-key'),
    });
    next = 'tooLong';
    expect((await say('Three')).fault).toMatchObject({
      code: 'context',
      message: expect.stringMatching(/too|maximum/),
    });
    next = { events: [] };
    expect((await say('Four')).fault?.code).toMatch(/^(?:empty|garbage)$/);
  });
});
