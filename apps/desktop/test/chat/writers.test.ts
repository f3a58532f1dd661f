import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { bareEnvironment, DEEP, openScriptModel, ownProgram, SCRIPT_MODEL } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { expect, it, onTestFinished } from 'vitest';
import { textOf } from '../support/chat-desktop.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { openPage } from '../support/test-desktop.ts';

/** Starts the desktop in its own process, and opens a page. */
async function start(folder: string) {
  const env = { ...bareEnvironment(), HOME: folder, SVC_STORE: 'http://127.0.0.1:1' };
  const words = [
    ownProgram('desktop'),
    'desktop',
    '--no-open',
    '--key-file',
    '--folder',
    path.join(folder, 'desktop'),
  ];
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (text) => {
    said += text;
  });
  const link = await eventually(() => {
    const found = /^Desktop: (.*)$/m.exec(said)?.[1];
    if (found === undefined) throw new Error('The desktop is not there yet.');
    return found;
  });
  return {
    child,
    page: await openPage({ opened: { newLink: () => link }, port: Number(new URL(link).port) }),
  };
}

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
    const first = await start(folder);
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

    const second = await start(folder);
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
