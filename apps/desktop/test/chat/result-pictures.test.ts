import type { BuiltInApp } from '@svc/runtime';
import { png } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { agree, callsOf, fakeApp, openChatOn, textOf } from '../support/chat-desktop.ts';
import { type Answer, type Body, strictServer } from '../support/strict-providers.ts';
import { openTestDesktop } from '../support/test-desktop.ts';

const PICTURE = Buffer.from(png(6)).toString('base64');

/** An app whose tool returns a picture. */
function cameraApp(): BuiltInApp {
  const made = fakeApp('notes', 'sent');
  const content = [
    { type: 'text', text: 'sent' },
    { type: 'image', data: PICTURE, mimeType: 'image/png' },
  ];
  return { ...made, call: async () => ({ content }) as never };
}

const bodyOf = (body: Body | undefined): string => JSON.stringify([body?.messages, body?.contents]);
const hasPicture = (body: Body): boolean => bodyOf(body).includes(PICTURE);
const hasResult = (body: Body): boolean => /dataFrom/.test(bodyOf(body));

/** A conversation with a model of a family and the app. @param next decides what a request is answered with */
async function openCamera(family: string, next: (body: Body) => Answer | null = () => null) {
  const server = await strictServer(family, (body) => next(body) ?? (hasResult(body) ? 'done' : 'calls'));
  const desktop = await openTestDesktop({ builtIn: [cameraApp()] });
  const { baseUrl, protocol } = server;
  const chat = await openChatOn(desktop, { baseUrl, protocol, model: 'm', key: 'sk-test' });
  const heard = await chat.page.listen();
  let cards = 0;
  /** Says something that the model answers with two calls, and allows them. */
  const sayBoth = async () => {
    const saying = chat.say('Take both');
    await Promise.all([
      agree({ page: chat.page, heard }, cards),
      agree({ page: chat.page, heard }, cards + 1),
    ]);
    cards += 2;
    return saying;
  };
  return { ...chat, server, sayBoth };
}

describe('pictures in results', () => {
  it.each(['openai', 'anthropic', 'google'])(
    'are shown to a model of %s, as its protocol takes them',
    async (family) => {
      const { sayBoth, say, server } = await openCamera(family);
      const answer = await sayBoth();
      expect(answer.fault).toBeNull();
      expect(callsOf(answer).flatMap(({ files }) => files.map(({ type }) => type))).toEqual([
        'image/png',
        'image/png',
      ]);
      expect([textOf(answer).trim(), server.refused]).toEqual(['I send both.Done.', []]);
      expect(server.requests.map(hasPicture)).toEqual([false, true]);
      // Later ones too, in the same place.
      await say('And now?');
      expect(bodyOf(server.requests.at(-1)).split(PICTURE)).toHaveLength(3);
      expect(server.refused).toEqual([]);
    },
  );

  it.each([
    ['mistral', null],
    ['openai', 'This model does not support image input.'],
  ] as const)('are left out, with a notice, where a model of %s refuses them', async (family, words) => {
    const { sayBoth, server } = await openCamera(family, (body) =>
      words !== null && hasPicture(body) ? { events: [{ error: { message: words, code: 400 } }] } : null,
    );
    const answer = await sayBoth();
    expect([answer.status, textOf(answer).trim()]).toEqual(['done', 'I send both.Done.']);
    expect(answer.parts).toContainEqual({ type: 'notice', code: 'no-pictures' });
    expect(server.requests.map(hasPicture)).toEqual([false, true, false]);
  });

  it('stay here where the provider or the conversation says so, and the conversation decides', async () => {
    const { page, provider, chat, sayBoth, say, server } = await openCamera('openai');
    const shown = async () => {
      await say('And now?');
      return hasPicture(server.requests.at(-1) as Body);
    };
    await page.call('models.showPictures', { provider, on: false });
    const answer = await sayBoth();
    expect(server.requests.some(hasPicture)).toBe(false);
    expect(answer.parts.some(({ type }) => type === 'notice')).toBe(false);
    await page.call('chats.change', { chat, params: { pictures: true } });
    expect(await shown()).toBe(true);
    await page.call('models.showPictures', { provider, on: true });
    await page.call('chats.change', { chat, params: { pictures: false } });
    expect(await shown()).toBe(false);
    await page.call('chats.change', { chat, params: {} });
    expect(await shown()).toBe(true);
  });
});
