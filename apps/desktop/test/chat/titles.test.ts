import { lastUserText, type ModelRequest } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { expect, it } from 'vitest';
import { openChatDesktop } from '../support/chat-desktop.ts';

const isTitle = ({ messages }: ModelRequest): boolean =>
  String(messages[0]?.content).startsWith('Write the title');

/** A desktop whose model answers `Done.`, and requests for titles as given. */
async function openTitled(title: (request: ModelRequest) => Promise<string[]> | string[]) {
  const opened = await openChatDesktop(async (request) => ({
    text: isTitle(request) ? await title(request) : ['Done.'],
  }));
  await opened.page.call('models.saveTitles', { on: true });
  const { page, chat, model } = opened;
  return {
    ...opened,
    titles: () => model.requests.filter(isTitle),
    title: async () => (await page.call('chats.open', { chat })).body.chat.title,
  };
}

it('writes the title once, after the first answer, from bounded data and without tools', async () => {
  const opened = await openTitled(() => ['\n## Title: "', 'Leaves of trees."\n\nAnd more.']);
  await opened.say(`Which leaf ${'is this? '.repeat(1_000)}`);
  await eventually(async () => expect(await opened.title()).toBe('Leaves of trees'));
  const [request] = opened.titles();
  expect(request?.tools).toBeUndefined();
  const { user, assistant } = JSON.parse(lastUserText(request as ModelRequest));
  expect([user.length, assistant]).toEqual([2_000, 'Done.']);
  await opened.say('And this?');
  await opened.say('And that?');
  expect(opened.titles()).toHaveLength(1);
});

it('never writes over a title of a person, also one that is written meanwhile', async () => {
  const asked = Promise.withResolvers<void>();
  const renamed = Promise.withResolvers<void>();
  const opened = await openTitled(async () => {
    asked.resolve();
    await renamed.promise;
    return ['By the model'];
  });
  await opened.say('Hello');
  await asked.promise;
  // The same as before, but now it is the user's.
  await opened.page.call('chats.change', { chat: opened.chat, title: 'Hello' });
  renamed.resolve();
  await eventually(() => expect(opened.titles()).toHaveLength(1));
  // Closing waits for it.
  await opened.opened.close();
  expect(opened.faults).toEqual([]);
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(`${opened.folder}/chats.sqlite`, { readOnly: true });
  expect(database.prepare('select title from chats').all()).toEqual([{ title: 'Hello' }]);
  database.close();
});

it('is switched off in the settings, and leaves the first words where the model has no title', async () => {
  const opened = await openTitled(() => ['  ** \n""\n']);
  await opened.page.call('models.saveTitles', { on: false });
  expect((await opened.page.call('models.list', {})).body.titles).toBe(false);
  await opened.say('Hello there');
  expect(opened.titles()).toEqual([]);
  await opened.page.call('models.saveTitles', { on: true });
  const { chat } = (await opened.page.call('chats.create', { project: 'project-1' })).body;
  await opened.page.call('chats.send', { chat: chat.id, text: 'Another', files: [] });
  await eventually(() => expect(opened.titles()).toHaveLength(1));
  await opened.opened.close();
  expect(opened.faults).toEqual([]);
});

it('survives a provider that refuses, and a conversation that is deleted meanwhile', async () => {
  const asked = Promise.withResolvers<void>();
  const opened = await openTitled(async () => {
    asked.resolve();
    await new Promise(() => undefined);
    return [];
  });
  await opened.say('Hello');
  await asked.promise;
  await opened.page.call('chats.remove', { chat: opened.chat });
  await opened.opened.close();
  expect(opened.faults).toEqual([]);
});
