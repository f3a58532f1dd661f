import type { FileRule } from '@svc/contracts';
import { type ApprovalCard, type BuiltInApp, createMediaApp, defaultSystem } from '@svc/runtime';
import { type ModelScript, openScriptModel, SCRIPT_MODEL } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { onTestFinished } from 'vitest';
import type { DesktopOptions } from '../../src/open-desktop.ts';
import type { ChatMessage, Protocol } from '../../src/wire/chat.ts';
import type { DesktopEvent } from '../../src/wire/events.ts';
import { openPage, openTestDesktop } from './test-desktop.ts';

type Called = { tool: string; args: Readonly<Record<string, unknown>> };

type Fake = {
  /** What a call waits for before it answers. */
  wait?(signal: AbortSignal): Promise<void>;
  /** The files that it takes; default: any one file as `file`. */
  files?: Record<string, FileRule>;
};

/** An app with one tool without a `confirm`, for a text and a file. */
export function fakeApp(
  id: string,
  answer: string,
  { wait, files = { file: {} } }: Fake = {},
): BuiltInApp & { called: Called[] } {
  const made = createMediaApp(defaultSystem);
  const called: Called[] = [];
  const tool = { id: 'send', name: 'Send', description: `Sends it. ${answer}`, files };
  const manifest = { ...made.app.manifest, id, name: id, contributes: { tools: [tool] } };
  return {
    ...made,
    called,
    app: { ...made.app, appId: id, manifest },
    tools: [
      {
        name: 'send',
        inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
      },
    ],
    async call(name, args, signal) {
      called.push({ tool: name, args });
      await wait?.(signal);
      return { content: [{ type: 'text', text: answer }] };
    },
  };
}

/** A conversation of a desktop with a model of a provider. @param project of the conversation */
export async function openChatOn(
  desktop: Parameters<typeof openPage>[0],
  {
    model,
    key = null,
    ...server
  }: { baseUrl: string; protocol?: Protocol; model: string; key?: string | null },
  project = 'project-1',
) {
  const page = await openPage(desktop);
  const added = await page.call('models.add', { name: 'Script', key, ...server });
  const provider = added.body.provider.id;
  await page.call('models.test', { provider });
  await page.call('models.choose', { provider, model });
  // Scripts answer what the user says: tests of titles switch them on.
  await page.call('models.saveTitles', { on: false });
  const { chat } = (await page.call('chats.create', { project })).body;

  async function messages(): Promise<ChatMessage[]> {
    return (await page.call('chats.open', { chat: chat.id })).body.messages;
  }
  /** Sends a message, and waits until the answer is complete. */
  async function say(text: string, more: { files?: string[]; show?: boolean; after?: number | null } = {}) {
    const { files: ids = [], show: shown = false, ...rest } = more;
    const files = ids.map((id) => ({ id, shown, text: null }));
    const sent = await page.call('chats.send', { chat: chat.id, text, files, ...rest });
    if (sent.status !== 200) throw new Error(sent.body.message);
    return ended();
  }
  const ended = () =>
    eventually(async () => {
      const last = (await messages()).at(-1);
      if (last === undefined || last.status === 'running') throw new Error('The answer is being written.');
      return last;
    });
  return { page, provider, chat: chat.id, messages, say, ended };
}

/** A conversation of a desktop with a model that follows a script. @param project of the conversation */
export async function openChat(
  desktop: Parameters<typeof openPage>[0],
  script: ModelScript,
  { key, project }: { key?: string | undefined; project?: string } = {},
) {
  const model = await openScriptModel(script, key === undefined ? {} : { key });
  onTestFinished(() => model.close());
  const server = { baseUrl: model.baseUrl, model: SCRIPT_MODEL, key: key ?? null };
  return { model, ...(await openChatOn(desktop, server, project)) };
}

/** A desktop whose default model follows a script, and a conversation in it. */
export async function openChatDesktop(
  script: ModelScript,
  builtIn: readonly BuiltInApp[] = [],
  { key, ...options }: { key?: string } & Partial<DesktopOptions> = {},
) {
  const desktop = await openTestDesktop({ builtIn, ...options });
  return { ...desktop, ...(await openChat(desktop, script, { key })) };
}

/** The approval cards that a page received, in order. */
export const approvalsIn = (heard: readonly DesktopEvent[]): { id: string; card: ApprovalCard }[] =>
  heard.flatMap((event) =>
    event.type === 'card' && event.card.card.kind === 'approval'
      ? [{ id: event.card.id, card: event.card.card }]
      : [],
  );

type Heard = { page: { call: Awaited<ReturnType<typeof openPage>>['call'] }; heard: readonly DesktopEvent[] };

/**
 * Waits for a card, and accepts it.
 * @param index the number of earlier cards
 * @param more `allowInChat` allows the tool for the rest of the conversation
 */
export async function agree(
  { page, heard }: Heard,
  index = 0,
  more: { allowInChat?: true } = {},
): Promise<ApprovalCard> {
  const { id, card } = await eventually(() => {
    const found = approvalsIn(heard)[index];
    if (!found) throw new Error('There is no card.');
    return found;
  });
  await page.call('cards.answer', { cardId: id, answer: { accepted: true, binding: card.binding, ...more } });
  return card;
}

/** The text of an answer. */
export const textOf = ({ parts }: ChatMessage): string =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');

/** The calls of an answer. */
export const callsOf = ({ parts }: ChatMessage) =>
  parts.flatMap((part) => (part.type === 'call' ? [part.call] : []));
