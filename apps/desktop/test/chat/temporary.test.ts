import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defaultSystem } from '@svc/runtime';
import { lastResults, type ModelRequest, png } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { expect, it } from 'vitest';
import { agree, fakeApp, openChatDesktop, textOf } from '../support/chat-desktop.ts';
import { openPage } from '../support/test-desktop.ts';

const PICTURE = Buffer.from(png(6)).toString('base64');

const SECRET = 'my-secret-plan-4711';

/** Every byte in the files of a folder. */
const bytesIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

async function openTemporary(options: Parameters<typeof openChatDesktop>[2] = {}) {
  const opened = await openChatDesktop(() => ({ text: [`I know ${SECRET}`] }), [], options);
  const { page } = opened;
  const made = await page.call('chats.create', { project: 'project-1', temporary: true });
  const { id } = made.body.chat;
  const send = async (text: string, more: { files?: { id: string; shown: boolean; text: null }[] } = {}) => {
    const sent = await page.call('chats.send', { chat: id, text, files: [], ...more });
    expect(sent.status).toBe(200);
    return eventually(async () => {
      const { messages } = (await page.call('chats.open', { chat: id })).body;
      expect(messages.at(-1)?.status).toBe('done');
      return messages;
    });
  };
  return { ...opened, temporary: made.body.chat, id, send };
}

it('keeps nothing of a temporary conversation on disk, not its text, files, drafts or title', async () => {
  const { page, id, temporary, send, folder } = await openTemporary();
  expect(temporary.temporary).toBe(true);
  await page.call('models.saveTitles', { on: true });
  const upload = (await page.upload('plan.txt', Buffer.from(`file ${SECRET}`))).json() as { id: string };
  await page.call('chats.saveDraft', {
    ...{ project: 'project-1', chat: id, text: `draft ${SECRET}`, files: [upload.id] },
  });
  expect((await page.call('chats.draft', { project: 'project-1', chat: id })).body.draft).toMatchObject({
    text: `draft ${SECRET}`,
    files: [{ name: 'plan.txt' }],
  });
  const messages = await send(`I have ${SECRET}`, { files: [{ id: upload.id, shown: false, text: null }] });
  expect(messages.map(textOf)).toEqual([`I have ${SECRET}`, `I know ${SECRET}`]);
  const [file] = messages[0]?.parts ?? [];
  if (file?.type !== 'file') throw new Error('There is no file.');
  expect((await page.get(`/attachments/${file.file.id}`)).body.toString()).toBe(`file ${SECRET}`);
  expect(bytesIn(folder)).not.toContain(SECRET);
  // It is listed first and found by a search, but in no export of all conversations.
  const { chats } = (await page.call('chats.list', { project: 'project-1' })).body;
  expect(chats[0]).toMatchObject({ id, temporary: true });
  expect((await page.call('chats.list', { project: 'project-1', q: SECRET })).body.chats).toHaveLength(1);
  await page.call('chats.remove', { chat: id });
  expect((await page.call('chats.open', { chat: id })).status).toBe(404);
  expect((await page.get(`/attachments/${file.file.id}`)).status).toBe(422);
  expect(bytesIn(folder)).not.toContain(SECRET);
});

it('is gone a while after the last page was closed, and stays while one is open', async () => {
  const waits: { end(): void; signal: AbortSignal | undefined }[] = [];
  const GRACE_MS = 5 * 60_000;
  const system = {
    ...defaultSystem,
    sleep(ms: number, signal?: AbortSignal) {
      if (ms !== GRACE_MS) return defaultSystem.sleep(ms, signal);
      return new Promise<void>((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        waits.push({ end: resolve, signal });
      });
    },
  };
  const { page, id, send, opened, port } = await openTemporary({ system });
  await send('Hello');
  const exists = async () => (await page.call('chats.open', { chat: id })).status === 200;
  // No page has an event stream yet.
  expect(waits.at(-1)?.signal?.aborted).toBe(false);
  const other = await openPage({ opened, port });
  const stop = new AbortController();
  await other.listen(stop.signal);
  await eventually(() => expect(waits.at(-1)?.signal?.aborted).toBe(true));
  waits.at(-1)?.end();
  expect(await exists()).toBe(true);
  const before = waits.length;
  stop.abort();
  await eventually(() => expect(waits.length).toBe(before + 1));
  waits.at(-1)?.end();
  await eventually(async () => expect(await exists()).toBe(false));
});

it('takes the files that apps returned in it along when it is closed', async () => {
  const camera = {
    ...fakeApp('notes', 'x'),
    call: async () => ({ content: [{ type: 'image' as const, data: PICTURE, mimeType: 'image/png' }] }),
  };
  const script = (request: ModelRequest) =>
    lastResults(request).length > 0
      ? { text: ['done'] }
      : { calls: [{ name: 'notes__send', arguments: {} }] };
  const { page } = await openChatDesktop(script, [camera]);
  const heard = await page.listen();
  const made = await page.call('chats.create', { project: 'project-1', temporary: true });
  const { id } = made.body.chat;
  await page.call('chats.send', { chat: id, text: 'Take one', files: [] });
  await agree({ page, heard });
  const kept = async () =>
    (await page.call('files.list', { appId: 'notes', project: 'project-1' })).body.files;
  await eventually(async () => {
    const { messages } = (await page.call('chats.open', { chat: id })).body;
    expect(messages.at(-1)?.status).toBe('done');
  });
  expect(await kept()).toHaveLength(1);
  await page.call('chats.remove', { chat: id });
  expect(await kept()).toEqual([]);
});

it('is bounded in number, and is not archived or written by another program', async () => {
  const { page } = await openTemporary();
  for (let n = 1; n < 20; n += 1)
    expect((await page.call('chats.create', { project: 'project-1', temporary: true })).status).toBe(200);
  const over = await page.call('chats.create', { project: 'project-1', temporary: true });
  expect([over.status, over.body.message]).toEqual([409, 'There are 20 temporary chats. Close one first.']);
  const archived = await page.call('chats.list', { project: 'project-1', archived: true });
  expect(archived.body.chats).toEqual([]);
});
