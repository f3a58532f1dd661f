import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  DEEP,
  lastResults,
  type ModelRequest,
  openScriptModel,
  ownProgram,
  SCRIPT_MODEL,
} from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ChatMessage } from '../../src/wire/chat.ts';
import { approvalsIn, callsOf, textOf } from '../support/chat-desktop.ts';
import { startDesktop } from '../support/desktop-process.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** The environment of a desktop in a folder. Its store is unreachable unless another is given. */
const homeOf = (folder: string, more: NodeJS.ProcessEnv = {}) => ({
  ...{ HOME: folder, SVC_STORE: 'http://127.0.0.1:1' },
  ...more,
});

/** The words of the desktop as a program. */
const programIn = (folder: string) => [
  ...[ownProgram('desktop'), 'desktop', '--no-open', '--key-file'],
  ...['--folder', path.join(folder, 'desktop')],
];

it(
  'keeps the message and the partial answer when the process is killed, as interrupted, and can retry it',
  DEEP,
  async () => {
    let isHanging = true;
    const model = await openScriptModel(() =>
      isHanging ? { text: ['so ', 'far'], end: 'hang' } : { text: ['whole'] },
    );
    onTestFinished(() => model.close());
    const folder = await tempFolder();
    const first = await startDesktop(programIn(folder), homeOf(folder));
    const { provider } = (
      await first.page.call('models.add', { name: 'S', baseUrl: model.baseUrl, key: null })
    ).body;
    await first.page.call('models.choose', { provider: provider.id, model: SCRIPT_MODEL });
    const { chat } = (await first.page.call('chats.create', { project: 'default' })).body;
    await first.page.call('chats.send', { chat: chat.id, text: 'Keep this', files: [] });
    const opened = async (page: typeof first.page) => (await page.call('chats.open', { chat: chat.id })).body;
    await eventually(async () =>
      expect(textOf((await opened(first.page)).messages[1] as never)).toBe('so far'),
    );
    // Received text is saved within half a second.
    const database = path.join(folder, 'desktop', 'chats.sqlite');
    await eventually(() => {
      const reader = new DatabaseSync(database, { readOnly: true });
      const kept = reader.prepare("select parts from messages where role = 'assistant'").get();
      reader.close();
      expect(kept?.parts).toContain('so far');
    });
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');

    const second = await startDesktop(programIn(folder), homeOf(folder));
    const after = await opened(second.page);
    expect(after.chat.running).toBe(false);
    expect(after.messages.map((one) => [one.role, one.status, textOf(one)])).toEqual([
      ['user', 'done', 'Keep this'],
      ['assistant', 'interrupted', 'so far'],
    ]);
    isHanging = false;
    await second.page.call('chats.retry', { chat: chat.id, message: after.messages[1]?.id ?? 0 });
    await eventually(async () => {
      const last = (await opened(second.page)).messages.at(-1);
      expect([last?.status, last && textOf(last), last?.branches.length]).toEqual(['done', 'whole', 2]);
    });
    const locks = (await readdir(path.join(folder, 'desktop'))).filter(
      (name) => name.endsWith('.lock') && name.startsWith('chats'),
    );
    expect(locks).toHaveLength(1);
  },
);

const TOOL = 'notes__send';

/** A moment at which the desktop is killed. */
type Moment = {
  /** The texts of the calls that the model makes at once. */
  calls: readonly string[];
  /** How many of their cards are accepted, and how many calls have reached the app. */
  accepted: number;
  /** What the model says before its calls, and once it has their results, after which it hangs. */
  says?: 'before' | 'after';
  /** The rows and the entries of the activity log after the restart. */
  rows: readonly string[];
  entries: readonly string[];
};

const INTERRUPTED = 'refused interrupted';

const MOMENTS: Readonly<Record<string, Moment>> = {
  'while one call works and another one waits for its card': {
    ...{ calls: ['slow', 'slow too'], accepted: 1 },
    ...{ rows: [INTERRUPTED, INTERRUPTED], entries: ['interrupted', 'interrupted'] },
  },
  'while the model writes before its calls': {
    ...{ calls: [], accepted: 0, says: 'before', rows: [], entries: [] },
  },
  'while a card waits': { calls: ['slow'], accepted: 0, rows: [INTERRUPTED], entries: ['interrupted'] },
  'while a call works': { calls: ['slow'], accepted: 1, rows: [INTERRUPTED], entries: ['interrupted'] },
  'while two calls work': {
    ...{ calls: ['slow', 'slow too'], accepted: 2 },
    ...{ rows: [INTERRUPTED, INTERRUPTED], entries: ['interrupted', 'interrupted'] },
  },
  'after one of two calls': {
    ...{ calls: ['quick', 'slow'], accepted: 2 },
    ...{ rows: ['answered null', INTERRUPTED], entries: ['answered', 'interrupted'] },
  },
  'while the model writes after a call': {
    ...{ calls: ['quick'], accepted: 1, says: 'after' },
    ...{ rows: ['answered null'], entries: ['answered'] },
  },
};

const hang = (text: string) => ({ text: [text], end: 'hang' as const });

describe('a desktop that is killed', () => {
  const says = '%s: says what was interrupted, and asks again';
  it.each(Object.entries(MOMENTS))(says, DEEP, (_name, moment) => killedAt(moment));

  it('while it downloads a version: says that the download was interrupted', DEEP, async () => {
    const store = createServer(() => undefined).listen(0, '127.0.0.1');
    onTestFinished(() => store.closeAllConnections());
    onTestFinished(() => void store.close());
    await once(store, 'listening');
    const folder = await tempFolder();
    const at = { SVC_STORE: `http://127.0.0.1:${(store.address() as AddressInfo).port}` };
    const first = await startDesktop(programIn(folder), homeOf(folder, at));
    const entries = async ({ call }: typeof first.page) => (await call('activity.list', {})).body.entries;
    first.page.call('store.prepare', { appId: 'com.example.notes', version: '1.0.0' }).catch(() => undefined);
    const download = { appId: 'com.example.notes', kind: 'install', name: '1.0.0' };
    await eventually(async () =>
      expect(await entries(first.page)).toMatchObject([{ ...download, outcome: 'under-way' }]),
    );
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const { page } = await startDesktop(programIn(folder), homeOf(folder, at));
    expect(await entries(page)).toMatchObject([{ ...download, outcome: 'interrupted' }]);
  });
});

async function killedAt({ calls, accepted, says, rows, entries }: Moment): Promise<void> {
  const model = await openScriptModel((request: ModelRequest) => {
    if (says === 'before') return hang('so far');
    if (lastResults(request).length > 0) return hang('and then');
    return { calls: calls.map((text) => ({ name: TOOL, arguments: { text } })) };
  });
  onTestFinished(() => model.close());
  const folder = await tempFolder();
  const words = [path.join(import.meta.dirname, '../support/killed-desktop.ts'), folder];
  const first = await startDesktop(words);
  const { page } = first;
  const { provider } = (await page.call('models.add', { name: 'S', baseUrl: model.baseUrl, key: null })).body;
  await page.call('models.choose', { provider: provider.id, model: SCRIPT_MODEL });
  const { chat } = (await page.call('chats.create', { project: 'default' })).body;
  const heard = await page.listen();
  await page.call('chats.send', { chat: chat.id, text: 'Go', files: [] });
  const last = async ({ call }: typeof page) =>
    (await call('chats.open', { chat: chat.id })).body.messages.at(-1) as ChatMessage;
  const cards = await eventually(() => {
    expect(approvalsIn(heard)).toHaveLength(calls.length);
    return approvalsIn(heard);
  });
  for (const { id, card } of cards.slice(0, accepted))
    await page.call('cards.answer', { cardId: id, answer: { accepted: true, binding: card.binding } });
  await eventually(() => expect(first.said().match(/called/g) ?? []).toHaveLength(accepted));
  const answered = rows.filter((row) => row.startsWith('answered')).length;
  await eventually(async () => {
    const message = await last(page);
    expect(callsOf(message).filter(({ state }) => state === 'answered')).toHaveLength(answered);
    expect(callsOf(message)).toHaveLength(calls.length);
    if (says) expect(textOf(message)).not.toBe('');
  });
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');

  const { page: again } = await startDesktop(words);
  const message = await last(again);
  expect([message.status, callsOf(message).map(({ state, code }) => `${state} ${code}`)]).toEqual([
    'interrupted',
    rows,
  ]);
  const states = callsOf(message).flatMap(({ cards: asked }) => asked.map(({ state }) => state));
  expect(states).not.toContain('waiting');
  expect(callsOf(message).every(({ until }) => until === null)).toBe(true);
  const activity = (await again.call('activity.list', {})).body.entries;
  expect(activity.map(({ outcome }) => outcome).sort()).toEqual(entries);
  const open = callsOf(message).find(({ code }) => code === 'interrupted');
  if (!open) return;
  const asked = await again.listen();
  await again.call('chats.retryCall', { chat: chat.id, message: message.id, call: open.id });
  await eventually(() => expect(approvalsIn(asked)).toHaveLength(1));
}
