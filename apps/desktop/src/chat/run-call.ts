import { createHash } from 'node:crypto';
import {
  type ApprovalCard,
  type AppTool,
  type CallResult,
  type InstalledApp,
  RuntimeError,
} from '@svc/runtime';
import { visible } from '@svc/text';
import type { Desktop } from '../desktop.ts';
import type { ChatCall, ChatFile } from '../wire/chat.ts';
import { type Attachments, type Content, readChatFile } from './attachments.ts';
import type { ChatScope, ChatTools } from './chat-tools.ts';
import { type Following, followCall, TIME_LIMIT_MS } from './follow-call.ts';

/** What a call works with. */
export type CallDeps = {
  desktop: Desktop;
  attachments: Attachments;
  tools: ChatTools;
  now(): number;
};

/** One call that a model made, in its conversation. */
export type Making = ChatScope & {
  chat: string;
  call: ChatCall;
  given: Record<string, unknown> | null;
  /** The files that the conversation has. */
  files: ReadonlyMap<string, ChatFile>;
  /** Of the whole answer. */
  signal: AbortSignal;
  /** Of this call alone. */
  stopped: AbortSignal;
  /** Calls that the user agreed to and that may be made again. */
  allowed(): readonly string[];
  allow(call: string): void;
  /** Told how the call stands, each time that changes. */
  changed(call: ChatCall): void;
};

type Target = { app: InstalledApp; tool: AppTool };
type Handed = Readonly<Record<string, readonly Content[]>>;

/** Longest arguments of a call, as JSON: what nobody reads on a card is no agreement. */
const MAX_ARGUMENTS = 100_000;

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

/** Splits what a model gave into arguments and files, and reads the latter. */
async function readFiles(deps: CallDeps, { tool }: Target, making: Making) {
  const given = making.given ?? {};
  const isFile = (param: string) => Object.hasOwn(tool.files, param);
  const args = Object.fromEntries(Object.entries(given).filter(([param]) => !isFile(param)));
  const handed: [string, Content[]][] = [];
  const from = { attachments: deps.attachments, runtime: deps.desktop.runtime };
  for (const [param, value] of Object.entries(given).filter(([one]) => isFile(one))) {
    const wanted = (Array.isArray(value) ? value : [value]).map(String);
    const read = wanted.map((id) => readChatFile(from, making.files, id, making.project));
    handed.push([param, await Promise.all(read)]);
  }
  return { args, handed: Object.fromEntries(handed) as Handed };
}

/** What a card is about: this call, with all that it sends. An update of the app, another word or another file is another call. */
const grantOf = ({ app, tool }: Target, args: object, files: ApprovalCard['files']): string =>
  sha256(JSON.stringify([app.appId, app.version, tool.id, args, files]));

/**
 * A signal that is also aborted when the app may not be used any more: withdrawn, switched off or removed. What waits for the user is
 * not left standing then.
 */
function whileUsable(
  { desktop: { runtime } }: CallDeps,
  { project, signal }: Making,
  appId: string,
): { signal: AbortSignal; stop(): void } {
  const gone = new AbortController();
  const stop = runtime.events.listen(() => {
    try {
      runtime.toolsNow(appId, { project });
    } catch (error) {
      gone.abort(error);
    }
  });
  return { signal: AbortSignal.any([signal, gone.signal]), stop };
}

/**
 * Asks whether a call may be made, and shows all that it sends. What an app answered may have talked the model into the call, so
 * that a yes covers what was shown and nothing else: the next call with other text or files asks again. The same call passes again
 * only where the tool says that it changes nothing. A tool that has an approval card of its own shows the same there, each time.
 */
async function requireAllowed(
  deps: CallDeps,
  making: Making,
  target: Target,
  { args, handed }: Awaited<ReturnType<typeof readFiles>>,
): Promise<void> {
  const { app, tool } = target;
  if (JSON.stringify(args).length > MAX_ARGUMENTS)
    throw new RuntimeError(
      'invalid-arguments',
      `Arguments of one call have up to ${MAX_ARGUMENTS} characters.`,
    );
  if (tool.confirms) return;
  const given = Object.values(handed).flat();
  const files = given.map(({ name, type, bytes }) => ({
    name,
    type,
    bytes: bytes.byteLength,
    sha256: sha256(bytes),
  }));
  const binding = grantOf(target, args, files);
  if (making.allowed().includes(binding)) return;
  const name = visible(app.manifest.name);
  const card: ApprovalCard = {
    kind: 'approval',
    app: {
      ...{ appId: app.appId, name: app.manifest.name, version: app.version },
      publisher: app.manifest.publisher ?? null,
    },
    tool: { id: tool.id, name: tool.name },
    ...{ server: '', account: null, arguments: args, files, binding },
    title: files.length > 0 ? `Give ${name} these files?` : `Let the model use ${name}?`,
    html: '<p>The model wants to make this call. It sends the app what you see here, and nothing else.</p>',
    action: 'Allow',
    wordsOf: 'client',
  };
  const usable = whileUsable(deps, making, app.appId);
  const bytesOf = (index: number) => {
    const file = given[index];
    return file ? new Uint8Array(file.bytes) : null;
  };
  const answer = await deps.desktop.desk.ask(card, usable.signal, bytesOf).finally(usable.stop);
  if (!answer.accepted || answer.binding !== binding) throw new RuntimeError('declined');
  if (tool.annotations?.readOnlyHint === true) making.allow(binding);
}

const textOf = ({ parts, structured }: CallResult): string =>
  [
    ...parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
    ...(structured && !parts.some(({ type }) => type === 'text') ? [JSON.stringify(structured)] : []),
  ].join('\n\n');

/** Longest JSON of what a tool answered as data that is kept in a conversation, in characters; what is longer is in no row. */
const MAX_DATA = 200_000;

/** What a tool answered as data beside a text. Servers repeat it as text for clients that know no data; then the text is enough. */
function dataOf({ parts, structured }: CallResult): Pick<ChatCall, 'structured'> {
  const json = JSON.stringify(structured);
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const isSaid = texts.length === 0 || texts.some((text) => isJsonOf(text, json));
  return structured === null || isSaid || json.length > MAX_DATA ? {} : { structured };
}

function isJsonOf(text: string, json: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === json;
  } catch {
    return false;
  }
}

const filesOf = ({ parts }: CallResult, appId: string): ChatFile[] =>
  parts.flatMap((part) => {
    if (part.type !== 'file') return [];
    const { id, name, type, bytes } = part.file;
    return [{ id, name, type, bytes, appId }];
  });

type Ended = Partial<ChatCall> & Pick<ChatCall, 'state' | 'text'>;

async function callApp(
  deps: CallDeps,
  making: Making,
  { asker, begin }: Following,
  follow: (changes: Partial<ChatCall>) => void,
): Promise<Ended> {
  const { desktop, tools } = deps;
  const { call, signal, project, chat } = making;
  if (making.given === null)
    throw new RuntimeError('invalid-arguments', 'The arguments are not a JSON object.');
  const target = await tools.find(making, call.name === 'call_tool' ? call.tool : call.name, signal);
  const { app, tool } = target;
  follow({ appId: app.appId, app: app.manifest.name, tool: tool.name });
  const ready = await readFiles(deps, target, making);
  await requireAllowed(deps, making, target, ready);
  begin();
  const result = await desktop.call(asker, {
    ...{ appId: app.appId, callId: call.id, tool: tool.id, project, chat, signal, timeoutMs: TIME_LIMIT_MS },
    ...{ arguments: ready.args, files: ready.handed },
  });
  const state = result.isError ? 'failed' : 'answered';
  return { state, text: textOf(result), ...dataOf(result), files: filesOf(result, app.appId) };
}

const STOPPED = 'The user stopped this call. Do not make it again unless the user asks.';
const TOO_SLOW = `The tool did not answer within ${TIME_LIMIT_MS / 1_000} seconds. It may have done its work all the same.`;

function refusedAs(error: unknown, { signal, stopped }: Making): Ended {
  if (stopped.aborted) return { state: 'refused', code: 'stopped', text: STOPPED };
  if (signal.aborted) return { state: 'refused', code: 'stopped', text: 'The call was stopped.' };
  if (!(error instanceof RuntimeError)) throw error;
  const { code, message } = error;
  return { state: 'refused', code, text: code === 'too-slow' ? TOO_SLOW : message };
}

async function findTools({ tools }: CallDeps, making: Making): Promise<Ended> {
  const { query, app } = making.given ?? {};
  const only = typeof app === 'string' ? app : undefined;
  return { state: 'answered', text: await tools.search(making, String(query ?? ''), only) };
}

/** The work, unless the signal is aborted first: a tool that does not listen to it does not hold up the answer. */
async function orAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** Makes one call that a model wants. It never rejects for what the app, the user or the model did. */
export async function runCall(deps: CallDeps, asked: Making): Promise<void> {
  const making = { ...asked, signal: AbortSignal.any([asked.signal, asked.stopped]) };
  let call = making.call;
  let isOver = false;
  const follow = (changes: Partial<ChatCall>) => {
    if (isOver) return;
    call = { ...call, ...changes };
    making.changed(call);
  };
  const begun = deps.now();
  const following = followCall(deps, making.chat, follow);
  try {
    const work = () =>
      call.name === 'find_tools' ? findTools(deps, making) : callApp(deps, making, following, follow);
    const running = deps.desktop.desk.as(following.asker, work);
    const ended = await orAborted(making.signal, running).catch((error) => refusedAs(error, making));
    follow({ ...ended, until: null, ms: Math.round(deps.now() - begun) });
  } finally {
    isOver = true;
    following.stop();
  }
}
