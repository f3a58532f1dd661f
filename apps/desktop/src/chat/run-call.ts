import {
  type Answer,
  type AppTool,
  asRefusal,
  type CallRequest,
  type CallResult,
  type Card,
  type InstalledApp,
  RuntimeError,
} from '@svc/runtime';
import { orAborted, pageOfTool, serverArguments } from '@svc/runtime/parts';
import type { Desktop } from '../desktop.ts';
import { messageToUser } from '../http/answer.ts';
import type { ChatCall, ChatCard, ChatFile, ChatMessage, PageData } from '../wire/chat.ts';
import { type Attachments, type Content, unknownFile } from './attachments.ts';
import type { ChatScope, ChatTools } from './chat-tools.ts';
import { keepWhole, READ_RESULT, readResult } from './whole-results.ts';

/** Time limit of a tool, not counting time spent waiting for the user, in milliseconds. */
const TIME_LIMIT_MS = 120_000;

/** The longest that progress of the server extends it, in milliseconds. */
const MAX_TIME_MS = 10 * 60_000;

type Deps = { desktop: Pick<Desktop, 'prompts' | 'runtime'>; now(): number };

const stateOf = (answer: Answer | null): ChatCard['state'] => {
  if (answer === null) return 'gone';
  return answer.accepted ? 'accepted' : 'declined';
};

/**
 * Follows the cards and the time limit of a call, for its row in the conversation. The limit is paused while a card or a sign-in
 * waits for the user.
 * @param changed called with the changes of the row
 */
export function followCall(
  { desktop: { prompts, runtime }, now }: Deps,
  chat: string,
  changed: (changes: Pick<ChatCall, 'cards' | 'until' | 'since'>) => void,
) {
  const ownCards = new Set<unknown>();
  let cards: ChatCard[] = [];
  // The app whose sign-in is in progress.
  let signingIn: string | null = null;
  let begunAt: number | null = null;
  let waitedMs = 0;
  let waitingSince: number | null = null;
  const update = () => {
    const isWaiting = signingIn !== null || cards.some(({ state }) => state === 'waiting');
    if (waitingSince !== null) waitedMs += now() - waitingSince;
    waitingSince = isWaiting ? now() : null;
    const end =
      begunAt === null || isWaiting
        ? null
        : Math.min(now() + TIME_LIMIT_MS, begunAt + waitedMs + MAX_TIME_MS);
    const until = end === null ? null : new Date(end).toISOString();
    const since = begunAt === null || isWaiting ? undefined : new Date(begunAt + waitedMs).toISOString();
    changed({ cards, until, since });
  };
  const stopCards = prompts.listen({
    shown({ id, card }) {
      if (!ownCards.has(card)) return;
      cards = [...cards, { id, card, state: 'waiting' }];
      update();
    },
    gone(id, answer) {
      const card = cards.find((card) => card.id === id)?.card;
      if (card === undefined) return;
      if (card.kind === 'connect' && answer?.accepted && answer.choice !== 'retry')
        signingIn = card.app.appId;
      cards = cards.map((other) => (other.id === id ? { ...other, state: stateOf(answer) } : other));
      update();
    },
  });
  const stopEvents = runtime.events.subscribe((event) => {
    if (event.type !== 'sign-in-ended' || event.appId !== signingIn) return;
    signingIn = null;
    update();
  });
  return {
    asker: {
      ...{ name: 'desktop', chat },
      async ask(card: Card) {
        ownCards.add(card);
        return null;
      },
    },
    /** Starts the time limit. */
    begin() {
      begunAt = now();
      update();
    },
    /** Starts it again, because the server reported progress. */
    progressed: update,
    /** How long cards and sign-ins waited for the user, in milliseconds. */
    waitedMs: () => waitedMs + (waitingSince === null ? 0 : now() - waitingSince),
    stop() {
      stopCards();
      stopEvents();
    },
  };
}

/** Follows a call; `asker` is the one in whose name its cards are shown. */
type CallFollower = ReturnType<typeof followCall>;

/** Dependencies of a call. */
export type CallDeps = {
  desktop: Desktop;
  attachments: Attachments;
  tools: ChatTools;
  now(): number;
};

/** A tool call of a model, in its conversation. */
export type PendingCall = ChatScope & {
  chat: string;
  call: ChatCall;
  given: Record<string, unknown> | null;
  /** The files of the conversation. */
  files: ReadonlyMap<string, ChatFile>;
  /** Those with the whole of a result that was cut. */
  wholes: ReadonlySet<string>;
  /** Aborts the whole answer. */
  signal: AbortSignal;
  /** Aborts this call only. */
  stopped: AbortSignal;
  /** What the user allowed for the conversation. A result of an app may have manipulated the model into the call (prompt injection). */
  askAlways: NonNullable<CallRequest['askAlways']>;
  /** Called with each new state of the call. */
  changed(call: ChatCall): void;
};

type Target = { app: InstalledApp; tool: AppTool };
type Handed = Readonly<Record<string, readonly Content[]>>;

/** Longest arguments of a call, as JSON: users cannot review more on a card. */
const MAX_ARGUMENTS = 100_000;

/** The files of a conversation, by the ids in the prompt. */
export function filesIn(messages: readonly Pick<ChatMessage, 'parts'>[]): Map<string, ChatFile> {
  const files = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => {
      if (part.type === 'file') return [part.file];
      return part.type === 'call' ? part.call.files : [];
    }),
  );
  return new Map(files.map((file) => [file.id, file]));
}

/** Reads a file of the conversation. @throws RuntimeError `unknown-file` */
async function readChatFile(
  { attachments, desktop }: CallDeps,
  { files, project }: PendingCall,
  id: string,
): Promise<Content> {
  const file = files.get(id);
  if (!file) throw unknownFile();
  if (file.appId === null) return attachments.read(id);
  const { content, name, type } = await desktop.runtime.files.read(file.appId, id, { project });
  return { name, type, bytes: content };
}

/** Splits the model's input into arguments and files, and reads the files. */
async function readFiles(deps: CallDeps, { tool }: Target, pending: PendingCall) {
  const given = serverArguments(tool, pending.given ?? {});
  const isFile = (param: string) => Object.hasOwn(tool.files, param);
  const args = Object.fromEntries(Object.entries(given).filter(([param]) => !isFile(param)));
  const handed: [string, Content[]][] = [];
  for (const [param, value] of Object.entries(given).filter(([param]) => isFile(param))) {
    const wanted = (Array.isArray(value) ? value : [value]).map(String);
    const read = wanted.map((id) => readChatFile(deps, pending, id));
    handed.push([param, await Promise.all(read)]);
  }
  return { args, handed: Object.fromEntries(handed) as Handed };
}

const textOf = ({ parts, structured }: CallResult): string =>
  [
    ...parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
    ...(structured && !parts.some(({ type }) => type === 'text') ? [JSON.stringify(structured)] : []),
  ].join('\n\n');

/** Longest structured content that is stored in a conversation, as JSON characters; longer content is dropped. */
const MAX_DATA = 200_000;

/** Structured content of a result, unless its text repeats it. Servers repeat it as text for clients that do not support it. */
function dataOf({ parts, structured }: CallResult): Pick<ChatCall, 'structured'> {
  const json = JSON.stringify(structured);
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const isRepeated = texts.length === 0 || texts.some((text) => isJsonOf(text, json));
  return structured === null || isRepeated || json.length > MAX_DATA ? {} : { structured };
}

function pageDataOf({ structured, given }: CallResult): PageData {
  const isKept = structured !== null && JSON.stringify(structured).length <= MAX_DATA;
  return { ...(isKept && { structured: { ...structured } }), ...(given && { given: { ...given } }) };
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

/** The text and files of a result. One that is longer than a model gets at once is a file, as the runtime kept it or as is kept here. */
function wholeOf(
  { attachments }: CallDeps,
  chat: string,
  { parts }: CallResult,
  said: Pick<ChatCall, 'tool' | 'text' | 'files'>,
): Pick<ChatCall, 'text' | 'files' | 'whole'> {
  const kept = parts.flatMap((part) => (part.type === 'text' && part.whole ? [part.whole] : []))[0];
  if (!kept) return keepWhole(attachments, chat, said);
  const { text, files } = said;
  return { text, files, whole: { file: kept.file, chars: kept.characters } };
}

type CallEnd = Partial<ChatCall> & Pick<ChatCall, 'state' | 'text'>;

async function callApp(
  deps: CallDeps,
  pending: PendingCall,
  { asker, begin, progressed }: CallFollower,
  follow: (changes: Partial<ChatCall>) => void,
): Promise<CallEnd> {
  const { desktop, tools } = deps;
  const { call, signal, project, chat, askAlways } = pending;
  if (pending.given === null)
    throw new RuntimeError('invalid-arguments', 'The arguments are not a JSON object.');
  const target = await tools.find(pending, call.name === 'call_tool' ? call.tool : call.name, signal);
  const { app, tool } = target;
  follow({ appId: app.appId, app: app.manifest.name, tool: tool.title });
  const ready = await readFiles(deps, target, pending);
  if (JSON.stringify(ready.args).length > MAX_ARGUMENTS)
    throw new RuntimeError(
      'invalid-arguments',
      `The arguments of a call can have up to ${MAX_ARGUMENTS} characters.`,
    );
  begin();
  const result = await desktop.call(asker, {
    ...{ appId: app.appId, callId: call.id, tool: tool.id, project, chat, signal, askAlways },
    caller: target.caller,
    ...{ timeoutMs: TIME_LIMIT_MS, maxMs: MAX_TIME_MS, onProgress: progressed },
    ...{ arguments: ready.args, files: ready.handed },
  });
  const state = result.isError ? 'failed' : 'answered';
  const page = pageOfTool(tool) !== null && { page: { tool: tool.id, ...pageDataOf(result) } };
  const said = { tool: tool.title, text: textOf(result), files: filesOf(result, app.appId) };
  return { state, ...dataOf(result), ...wholeOf(deps, chat, result, said), ...page };
}

const STOPPED = 'You stopped this call.';
const TOO_SLOW = `The tool did not answer within ${TIME_LIMIT_MS / 1_000} seconds. It may still have done its work.`;

function refusedAs(error: unknown, { signal, stopped }: PendingCall): CallEnd {
  if (stopped.aborted) return { state: 'refused', code: 'stopped', text: STOPPED };
  if (signal.aborted) return { state: 'refused', code: 'stopped', text: 'It was stopped with the answer.' };
  const refusal = asRefusal(error);
  if (!refusal) throw error;
  const { code } = refusal;
  return { state: 'refused', code, text: code === 'too-slow' ? TOO_SLOW : messageToUser(refusal) };
}

async function findTools({ tools }: CallDeps, pending: PendingCall): Promise<CallEnd> {
  const { query, app } = pending.given ?? {};
  const only = typeof app === 'string' ? app : undefined;
  return { state: 'answered', text: await tools.search(pending, String(query ?? ''), only) };
}

async function readWhole(deps: CallDeps, pending: PendingCall): Promise<CallEnd> {
  const read = (id: string) => readChatFile(deps, pending, id);
  return { state: 'answered', text: await readResult(pending.given, pending.wholes, read) };
}

/** The work of a call: one of the tools of the conversation itself, or that of an app. */
function workOf(
  deps: CallDeps,
  pending: PendingCall,
  following: CallFollower,
  follow: (changes: Partial<ChatCall>) => void,
) {
  const { name } = pending.call;
  if (name === READ_RESULT) return readWhole(deps, pending);
  return name === 'find_tools' ? findTools(deps, pending) : callApp(deps, pending, following, follow);
}

/** Runs one tool call of a model. It never rejects for errors of the app, the user or the model. */
export async function runCall(deps: CallDeps, request: PendingCall): Promise<void> {
  const pending = { ...request, signal: AbortSignal.any([request.signal, request.stopped]) };
  let call = pending.call;
  let isOver = false;
  const follow = (changes: Partial<ChatCall>) => {
    if (isOver) return;
    call = { ...call, ...changes };
    pending.changed(call);
  };
  const begun = deps.now();
  const following = followCall(deps, pending.chat, follow);
  try {
    const running = deps.desktop.prompts.as(following.asker, () => workOf(deps, pending, following, follow));
    // Also if the work ignores the signal, so that a tool cannot block the answer.
    const ended = await orAborted(pending.signal, running).catch((error) => refusedAs(error, pending));
    const waitedMs = Math.round(following.waitedMs());
    follow({
      ...ended,
      until: null,
      since: undefined,
      ms: Math.round(deps.now() - begun) - waitedMs,
      waitedMs,
    });
  } finally {
    isOver = true;
    following.stop();
  }
}
