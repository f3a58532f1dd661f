import type { ChatCall, ChatFile, ChatMessage, ChatPart, ModelFault, NoticeCode } from '../wire/chat.ts';
import type { Chat, Conversations } from './chat-database.ts';
import { keeperOf, withStep } from './kept-step.ts';
import { MESSAGES, ModelError } from './model-fault.ts';
import type { ModelServer } from './model-protocol.ts';
import { type ModelTool, type Step, type StepEvent, streamStep } from './model-server.ts';
import { instructionsOf, promptOf, type Sending, type Shown, trimmed } from './prompt.ts';
import { picturesIn } from './result-pictures.ts';
import { type CallDeps, filesIn, type PendingCall, runCall } from './run-call.ts';
import { readingTools, wholesIn } from './whole-results.ts';

/** Most requests to the model for one answer, before the user must continue it. */
const MAX_STEPS = 12;
/** Most calls of one step that are made; further ones are refused. */
const MAX_CALLS = 16;
/** How often a conversation is shortened for a model with a smaller context. */
const MAX_TRIMS = 6;

type CallEvent = Extract<StepEvent, { type: 'call' }>;

/** An answer in progress. */
export type Draft = {
  message: ChatMessage;
  /** Changes the message, and notifies all pages. */
  set(changes: Partial<Pick<ChatMessage, 'parts' | 'status' | 'fault' | 'waitsFor'>>): void;
  /** Writes it to disk now: a call is there before it is made, and its end before the model reads it. */
  save(): void;
  /** Adds text to the last part. */
  append(type: 'text' | 'reasoning', step: number, text: string): void;
};

export type TurnDeps = CallDeps & { conversations: Conversations; newId(): string };

type Turn = {
  chat: Chat;
  draft: Draft;
  server: ModelServer;
  model: string;
  signal: AbortSignal;
  /** Controllers that stop running calls, by call id. */
  stops: Map<string, AbortController>;
  askAlways: PendingCall['askAlways'];
  contentOf: Shown;
  /** Whether the model receives the pictures that apps return. */
  showsPictures: boolean;
  /** The instructions of the user for the project. */
  prompt: string;
  /** A call of the message to make once more, before the model continues. */
  repeated: string | null;
};

/** What the requests of one answer leave out, and how they are sent. */
type Cuts = {
  drop: number;
  trims: number;
  tools: boolean;
  pictures: boolean;
  system: boolean;
  asText: boolean;
};

/** Adds a notice to the answer, once. */
function notice(draft: Draft, code: NoticeCode): void {
  const { parts } = draft.message;
  if (parts.some((part) => part.type === 'notice' && part.code === code)) return;
  draft.set({ parts: [...parts, { type: 'notice', code }] });
}

/** How a request is changed that a provider refused, by the reason. It returns null where that cannot help. */
const REMEDIES: Readonly<Partial<Record<ModelFault, (cuts: Cuts, sent: Sent) => Partial<Cuts> | null>>> = {
  context: ({ trims, drop }, { messages }) =>
    trims < MAX_TRIMS && messages > 1 ? { trims: trims + 1, drop: drop + Math.ceil(messages / 2) } : null,
  'no-tools': ({ tools }) => (tools ? { tools: false, asText: true } : null),
  'no-pictures': ({ pictures }, sent) => (pictures && sent.pictures ? { pictures: false } : null),
  'no-system': ({ system }) => (system ? { system: false } : null),
  history: ({ asText }) => (asText ? null : { asText: true }),
};

const NOTICE_OF: ReadonlyMap<ModelFault, NoticeCode> = new Map([
  ['context', 'trimmed'],
  ['no-tools', 'no-tools'],
  ['no-pictures', 'no-pictures'],
]);

/** What a request had. */
type Sent = { messages: number; pictures: boolean };

/** Changes the next request, if that may help. @returns whether to retry */
function remedy(error: unknown, cuts: Cuts, { draft }: Turn, sent: Sent): boolean {
  if (!(error instanceof ModelError)) return false;
  const changes = REMEDIES[error.code]?.(cuts, sent) ?? null;
  if (changes === null) return false;
  Object.assign(cuts, changes);
  const code = NOTICE_OF.get(error.code);
  if (code) notice(draft, code);
  return true;
}

const TOO_MANY = {
  state: 'refused',
  code: 'too-many',
  text: `The model made more than ${MAX_CALLS} calls at once: this one was not made.`,
} as const;

const newCall = ({ id, name, arguments: args }: CallEvent): ChatCall => {
  const isInner = name === 'call_tool' && typeof args?.name === 'string';
  return {
    ...{ id, name, appId: null, app: '', tool: isInner ? String(args.name) : name },
    ...{
      arguments: args ?? {},
      state: 'running',
      text: '',
      code: null,
      files: [],
      ms: null,
      until: null,
      cards: [],
    },
  };
};

/** The input of the call: `call_tool` carries the arguments of another tool. */
const givenTo = ({ name, arguments: args }: CallEvent) => {
  if (name !== 'call_tool' || args === null) return args;
  const inner = args.arguments ?? {};
  return typeof inner === 'object' && !Array.isArray(inner) ? (inner as Record<string, unknown>) : null;
};

/** Whether messages of the user are left out. A greeting of the assistant, with which a conversation may begin, is no loss. */
function isShortened(before: readonly ChatMessage[], sent: readonly ChatMessage[]): boolean {
  const dropped = before.slice(0, before.length - sent.length);
  return (before[0]?.parent ?? null) !== null || dropped.some(({ role }) => role === 'user');
}

/** What is sent of the conversation. */
function sendingOf(
  deps: TurnDeps,
  turn: Turn,
  cuts: Cuts,
  instructions: string,
  pictures: Sending['pictures'],
): Sending & { hasPictures: boolean } {
  const { conversations } = deps;
  const by = keeperOf(turn.server, turn.model);
  const sending = {
    ...{ pictures, hasPictures: pictures.size > 0, asText: cuts.asText },
    // Other servers of the OpenAI protocol take only text in a result.
    arePicturesWithin: (turn.server.protocol ?? 'openai') !== 'openai',
    keptOf({ id }: ChatMessage) {
      const kept = conversations.kept(id);
      return kept?.by === by ? kept.steps : {};
    },
    contentOf(file: ChatFile) {
      const content = turn.contentOf(file);
      if (content === null || typeof content === 'string') return content;
      sending.hasPictures = true;
      return cuts.pictures ? content : null;
    },
    ...(!cuts.system && { instructions }),
  };
  return sending;
}

/** Adds what a request to the model yields to the answer. @returns the calls it makes */
async function receiveStep(deps: TurnDeps, turn: Turn, number: number, step: Step): Promise<CallEvent[]> {
  const { draft, server, model } = turn;
  const { id } = draft.message;
  const calls: CallEvent[] = [];
  for await (const event of streamStep(step)) {
    if (event.type === 'call') calls.push(event);
    else if (event.type === 'notice') notice(draft, event.code);
    else if (event.type === 'usage')
      draft.set({ parts: [...draft.message.parts, { ...event, step: number }] });
    else if (event.type === 'kept')
      deps.conversations.keep(
        id,
        withStep(deps.conversations.kept(id), keeperOf(server, model), number, event.kept),
      );
    else draft.append(event.type, number, event.text);
  }
  return calls;
}

/** A conversation that continues another one is always sent with the summary at its beginning. */
function withSummary({ conversations }: TurnDeps, chat: Chat, sent: readonly ChatMessage[]) {
  const root = chat.origin === null ? null : conversations.root(chat.id);
  return root === null || sent.some(({ id }) => id === root.id) ? sent : [root, ...sent];
}

/** Sends one request to the model. @returns the calls it makes; null to retry with another request */
async function requestStep(deps: TurnDeps, turn: Turn, number: number, cuts: Cuts) {
  const { chat, draft, server, model, signal } = turn;
  const before = deps.conversations.before(chat.id, draft.message.parent);
  const kept = trimmed(before, cuts.drop);
  if (isShortened(before, kept)) notice(draft, 'trimmed');
  const messages = withSummary(deps, chat, kept);
  const own = draft.message.parts.length > 0 ? [draft.message] : [];
  const all = [...messages, ...own];
  const tools: ModelTool[] = cuts.tools ? [...deps.tools.offered(chat), ...readingTools(all)] : [];
  const instructions = instructionsOf(turn.prompt);
  const isSeen = cuts.pictures && turn.showsPictures;
  const pictures = isSeen ? await picturesIn(deps.desktop.runtime, chat.project, all) : new Map();
  const sending = sendingOf(deps, turn, cuts, instructions, pictures);
  const { pictures: _, ...params } = chat.params;
  const step = { server, model, tools, signal, messages: promptOf(all, sending), ...params };
  const { parts } = draft.message;
  try {
    return await receiveStep(deps, turn, number, { ...step, instructions: cuts.system ? instructions : '' });
  } catch (error) {
    const sent = { messages: messages.length, pictures: sending.hasPictures };
    const hasBegun = draft.message.parts !== parts;
    if (hasBegun || !remedy(error, cuts, turn, sent)) throw error;
    return null;
  }
}

type Row = { event: CallEvent; call: ChatCall; step: number; at: number };

/** Runs calls whose rows are in the message, in parallel. @param rows each with its place among the parts */
async function runRows(deps: TurnDeps, turn: Turn, rows: readonly Row[]): Promise<void> {
  const { chat, draft, signal, stops } = turn;
  const messages = [...deps.conversations.before(chat.id, draft.message.parent), draft.message];
  const [files, wholes] = [filesIn(messages), wholesIn(messages)];
  const run = async ({ call, event, step, at }: Row) => {
    const stop = new AbortController();
    stops.set(call.id, stop);
    await runCall(deps, {
      ...{
        project: chat.project,
        off: chat.off,
        chat: chat.id,
        call,
        given: givenTo(event),
        files,
        wholes,
        signal,
      },
      ...{ stopped: stop.signal, askAlways: turn.askAlways },
      changed: (next) =>
        draft.set({ parts: draft.message.parts.with(at, { type: 'call', step, call: next }) }),
    });
    draft.save();
    stops.delete(call.id);
  };
  draft.save();
  await Promise.all(rows.map(run));
}

async function runCalls(deps: TurnDeps, turn: Turn, step: number, events: CallEvent[]): Promise<void> {
  const { draft } = turn;
  const first = draft.message.parts.length;
  // Ids of the model may be missing or duplicate, so rows have their own ids.
  const rows = events.map((event, index) => ({
    event,
    call: { ...newCall(event), id: deps.newId(), ...(index >= MAX_CALLS && TOO_MANY) },
    step,
    at: first + index,
  }));
  draft.set({
    parts: [...draft.message.parts, ...rows.map(({ call }): ChatPart => ({ type: 'call', step, call }))],
  });
  await runRows(deps, turn, rows.slice(0, MAX_CALLS));
}

/** Makes a call of the message once more, under an id of its own. */
async function repeatCall(deps: TurnDeps, turn: Turn): Promise<void> {
  const { draft, repeated } = turn;
  const at = draft.message.parts.findIndex((part) => part.type === 'call' && part.call.id === repeated);
  const part = draft.message.parts[at];
  if (part?.type !== 'call') return;
  const { name, arguments: args } = part.call;
  const event = { type: 'call' as const, id: '', name, arguments: args };
  const call = { ...newCall(event), id: deps.newId() };
  draft.set({ parts: draft.message.parts.with(at, { ...part, call }) });
  await runRows(deps, turn, [{ event, call, step: part.step, at }]);
  turn.signal.throwIfAborted();
}

/** Waits for the tools of servers that have not listed them yet, and says so in the answer. */
async function waitForTools({ tools }: TurnDeps, { chat, draft, signal }: Turn): Promise<void> {
  await tools.ready(chat, () => draft.set({ waitsFor: 'tools' }));
  if (draft.message.waitsFor) draft.set({ waitsFor: null });
  signal.throwIfAborted();
}

const firstStep = ({ parts }: ChatMessage): number =>
  1 + parts.reduce((max, part) => Math.max(max, 'step' in part ? part.step : -1), -1);

/** How an answer ends with a step without calls. @throws ModelError if it has no word and no call at all */
function endedAt({ draft }: Turn, step: number): 'done' {
  const { parts } = draft.message;
  const isReason = (part: ChatPart) => part.type === 'notice' && ['cut', 'filtered'].includes(part.code);
  const hasText = (part: ChatPart) => part.type === 'text' && part.text.trim() !== '';
  if (parts.some((part) => (hasText(part) && 'step' in part && part.step === step) || isReason(part)))
    return 'done';
  if (!parts.some((part) => hasText(part) || part.type === 'call'))
    throw new ModelError('empty', MESSAGES.empty);
  notice(draft, 'empty');
  return 'done';
}

/**
 * Writes an answer: requests the model and runs its calls in a loop, until it makes none.
 * @returns how the answer ended
 * @throws ModelError; the signal's reason if aborted
 */
export async function runTurn(deps: TurnDeps, turn: Turn): Promise<'done' | 'asks'> {
  const cuts: Cuts = { drop: 0, trims: 0, tools: true, pictures: true, system: true, asText: false };
  await waitForTools(deps, turn);
  await repeatCall(deps, turn);
  const first = firstStep(turn.draft.message);
  for (let step = first; step < first + MAX_STEPS; step += 1) {
    let calls = await requestStep(deps, turn, step, cuts);
    while (calls === null) calls = await requestStep(deps, turn, step, cuts);
    if (calls.length === 0) return endedAt(turn, step);
    await runCalls(deps, turn, step, calls);
    turn.signal.throwIfAborted();
  }
  return 'asks';
}
