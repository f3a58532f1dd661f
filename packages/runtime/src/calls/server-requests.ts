import { AsyncResource } from 'node:async_hooks';
import {
  type CreateMessageRequestParams,
  type CreateMessageResult,
  type ElicitRequest,
  type ElicitResult,
  type ListRootsResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/client';
import { cardAppOf } from '../cards/ask-to-connect.ts';
import type { Answer, Ask, Card, QuestionCard, SamplingCard } from '../cards/card.ts';
import { contentFor, fieldsOf, messageOf, UnshowableError } from '../cards/question.ts';
import type { ConnectorSettings } from '../library/choice-tables.ts';
import { type InstalledApp, isConnector, serverHostOf } from '../library/installed-app.ts';
import { hashOfJson } from '../platform/json-hash.ts';
import { type CallContext, callContext } from './authorised-fetch.ts';
import type { Secrets } from './secrets.ts';

/** Maximum cards that a server can have shown during one call. */
const MAX_CARDS = 10;
/** Maximum messages of a request for the model, their characters, and tokens of the answer. */
const MAX_MESSAGES = 50;
const MAX_CHARACTERS = 100_000;
const MAX_TOKENS = 8_192;
/** Maximum folders of a project, and characters of a URL. */
const MAX_ROOTS = 20;
const MAX_URL = 2_000;

/** What a server asks of the client's model. */
export type ModelRequest = {
  /** Instructions, by the server; null when it gives none. */
  system: string | null;
  messages: readonly { role: 'user' | 'assistant'; text: string }[];
  maxTokens: number;
};

/** What a client can do for the servers of connectors, where the user allows it. */
export type ServerServices = {
  /** Has the client's model answer, after the user has agreed to the request. The user sees the answer before the server does. */
  sample?:
    | ((request: ModelRequest, signal: AbortSignal) => Promise<{ model: string; text: string }>)
    | undefined;
  /** The folders of a project, as file URLs. */
  rootsOf?: ((project: string) => readonly { uri: string; name: string }[]) | undefined;
  /** The client shows the pages of servers (MCP Apps) with `openPage`. */
  showsPages?: boolean | undefined;
};

/** Answers requests of one server. A missing handler is a capability that the client does not declare. */
export type ServerRequests = {
  elicit?: (params: ElicitRequest['params']) => Promise<ElicitResult>;
  /** Whether pages may be opened for the user (elicitation in URL mode). */
  opensPages?: boolean;
  /** Whether pages of the server are shown (MCP Apps). */
  showsPages?: boolean;
  sample?: (params: CreateMessageRequestParams) => Promise<CreateMessageResult>;
  roots?: () => Promise<ListRootsResult>;
};

const refuse = (message: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message);

export function createRunningCalls() {
  const running = new Set<AsyncResource>();
  return {
    async during<T>(call: () => Promise<T>): Promise<T> {
      // Keeps the context of the call, in a tenth of the time of AsyncLocalStorage.snapshot().
      const own = new AsyncResource('svc-call');
      running.add(own);
      try {
        return await call();
      } finally {
        running.delete(own);
      }
    },
    /** Runs work in the call that it belongs to: the own one, or the call that started last. @throws ProtocolError without one */
    async inCall<T>(work: (call: CallContext, signal: AbortSignal) => Promise<T>): Promise<T> {
      const here = () => {
        const call = callContext.getStore();
        return call?.signal && !call.signal.aborted ? work(call, call.signal) : null;
      };
      const newest = [...running].at(-1);
      const done = here() ?? newest?.runInAsyncScope(here);
      if (done) return done;
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, 'No call is in progress.');
    },
  };
}

/** The calls that run in a session. Programs and standalone streams do not say to which of them a request belongs. */
export type RunningCalls = ReturnType<typeof createRunningCalls>;

/** The cards of each call, so that a server cannot ask for ever. */
const shownCards = new WeakMap<AbortSignal, number>();

/** Shows a card within a call, whose time stands still meanwhile. Null unless the user accepted exactly this card. */
async function askUser<C extends QuestionCard | SamplingCard>(
  ask: Ask,
  unbound: Omit<C, 'binding'>,
  { limit }: CallContext,
  signal: AbortSignal,
) {
  const count = shownCards.get(signal) ?? 0;
  if (count >= MAX_CARDS) throw refuse(`A call has at most ${MAX_CARDS} questions.`);
  shownCards.set(signal, count + 1);
  const card = { ...unbound, binding: hashOfJson(unbound) } as unknown as Card & { binding: string };
  const answer = await (limit?.pausing(() => ask(card, signal)) ?? ask(card, signal));
  signal.throwIfAborted();
  if (answer.accepted && answer.binding !== card.binding) return { accepted: false as const };
  return answer;
}

/** A page that a server has the user open. It must be on the Internet, and its address is shown. */
function pageOf(text: string): string {
  const url = text.length <= MAX_URL ? URL.parse(text) : null;
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '')
    throw refuse('A page to open has an https URL without a user name.');
  return url.href;
}

/** @throws ProtocolError for a question that cannot be shown */
function questionCard(
  app: InstalledApp,
  params: ElicitRequest['params'],
  { tool }: CallContext,
  secrets: Secrets,
): Omit<QuestionCard, 'binding'> {
  if (params.mode === 'url' && !isConnector(app))
    throw refuse('This client opens no pages for apps of a store.');
  const base = { kind: 'question' as const, app: cardAppOf(app), server: serverHostOf(app), tool };
  const message = secrets.strip(messageOf(params.message));
  if (params.mode === 'url') return { ...base, message, fields: [], url: pageOf(params.url) };
  try {
    return { ...base, message, fields: secrets.strip(fieldsOf(params.requestedSchema)), url: null };
  } catch (error) {
    throw error instanceof UnshowableError ? refuse(error.message) : error;
  }
}

type Asking = {
  ask: Ask;
  connectorSettings: Pick<ConnectorSettings, 'of'>;
  services?: ServerServices | undefined;
  app: InstalledApp;
  secrets: Secrets;
  calls: RunningCalls;
};

/** The result for the server. A client that accepts without valid values has asked nothing. */
function resultOf({ url, fields }: Pick<QuestionCard, 'url' | 'fields'>, answer: Answer): ElicitResult {
  if (!answer.accepted) return { action: answer.dismissed ? 'cancel' : 'decline' };
  if (url !== null) return { action: 'accept' };
  const content = contentFor(fields, answer.content ?? {});
  return content ? { action: 'accept', content } : { action: 'cancel' };
}

/** Asks the user what a server asks (MCP, "Elicitation"). */
const elicit = (
  { ask, app, secrets, calls }: Asking,
  params: ElicitRequest['params'],
): Promise<ElicitResult> =>
  calls.inCall(async (call, signal) => {
    const card = questionCard(app, params, call, secrets);
    return resultOf(card, await askUser<QuestionCard>(ask, card, call, signal));
  });

/** The messages for the model: texts only, as the card can show them. */
function messagesOf({ messages, systemPrompt, maxTokens }: CreateMessageRequestParams): ModelRequest {
  let room = MAX_CHARACTERS;
  const textOf = (text: string): string => {
    room -= text.length;
    if (room < 0) throw refuse(`A request has at most ${MAX_CHARACTERS} characters.`);
    return text;
  };
  if (messages.length > MAX_MESSAGES) throw refuse(`A request has at most ${MAX_MESSAGES} messages.`);
  return {
    system: systemPrompt === undefined ? null : textOf(systemPrompt),
    messages: messages.map(({ role, content }) => {
      const texts = [content].flat().map((block) => {
        if (block.type !== 'text') throw refuse('This client takes texts only.');
        return textOf(block.text);
      });
      return { role, text: texts.join('\n') };
    }),
    maxTokens: Math.min(Math.max(1, Math.trunc(maxTokens)), MAX_TOKENS),
  };
}

/** Has the model answer a server (MCP, "Sampling"): the user agrees to the request, and then to the answer. */
const sample = (
  { ask, app, secrets, calls }: Asking,
  run: NonNullable<ServerServices['sample']>,
  params: CreateMessageRequestParams,
): Promise<CreateMessageResult> =>
  calls.inCall(async (call, signal) => {
    const request = secrets.strip(messagesOf(params));
    const base = {
      kind: 'sampling' as const,
      app: cardAppOf(app),
      server: serverHostOf(app),
      tool: call.tool,
      ...request,
    };
    const declined = () => new ProtocolError(-1, 'The user declined the request.');
    if (!(await askUser<SamplingCard>(ask, { ...base, reply: null }, call, signal)).accepted)
      throw declined();
    const reply = secrets.strip(
      await (call.limit?.pausing(() => run(request, signal)) ?? run(request, signal)),
    );
    if (!(await askUser<SamplingCard>(ask, { ...base, reply }, call, signal)).accepted) throw declined();
    const { model, text } = reply;
    return { role: 'assistant', model, content: { type: 'text', text }, stopReason: 'endTurn' };
  });

/** The folders of the project of the call (MCP, "Roots"). */
const roots = (
  { calls }: Asking,
  rootsOf: NonNullable<ServerServices['rootsOf']>,
): Promise<ListRootsResult> =>
  calls
    .inCall(async ({ project }) => ({
      roots: project === null ? [] : [...rootsOf(project)].slice(0, MAX_ROOTS),
    }))
    .catch((error: unknown) => {
      if (error instanceof ProtocolError) return { roots: [] };
      throw error;
    });

/** What a server may ask for. The choices are read again at each request, as a session may be older than they are. */
export function serverRequests(asking: Asking): ServerRequests {
  const { app, connectorSettings, services = {} } = asking;
  const isOfUser = isConnector(app);
  const choices = () => connectorSettings.of(app.appId);
  const allowed = <T>(name: 'questions' | 'sampling' | 'roots', answer: () => Promise<T>): Promise<T> => {
    if (isOfUser && !choices()[name])
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'The user has switched this off.');
    return answer();
  };
  const { sample: run, rootsOf, showsPages } = services;
  const { questions, sampling, roots: hasRoots } = choices();
  return {
    ...((!isOfUser || questions) && {
      elicit: (params) => allowed('questions', () => elicit(asking, params)),
      opensPages: isOfUser,
    }),
    ...(isOfUser && showsPages && { showsPages }),
    ...(isOfUser &&
      sampling &&
      run && { sample: (params) => allowed('sampling', () => sample(asking, run, params)) }),
    ...(isOfUser && hasRoots && rootsOf && { roots: () => allowed('roots', () => roots(asking, rootsOf)) }),
  };
}

/** The error of a server that needs a page opened before it answers (MCP 2025-11-25, "URL Elicitation Required Error"). */
const PAGES_NEEDED = -32_042;
/** Most pages that one call opens first. */
const MAX_PAGES = 3;

type PageRequest = Extract<ElicitRequest['params'], { mode: 'url' }>;

/** The pages that a refused call needs first; empty for another error. */
function pagesNeeded(error: unknown): PageRequest[] {
  const { code, data } = error as { code?: unknown; data?: { elicitations?: unknown } };
  const list = code === PAGES_NEEDED && Array.isArray(data?.elicitations) ? data.elicitations : [];
  const isPage = (page: unknown): page is PageRequest => {
    const { mode, url, message } = (page ?? {}) as Partial<PageRequest>;
    return mode === 'url' && typeof url === 'string' && typeof message === 'string';
  };
  return list.filter(isPage).slice(0, MAX_PAGES);
}

/**
 * Makes a call; if the server needs pages opened first, asks the user to open each, and makes the call once more.
 * @param requestsOf returns what the server may ask for, which few calls need
 */
export async function openingPages<T>(requestsOf: () => ServerRequests, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const { elicit, opensPages } = requestsOf();
    const pages = opensPages ? pagesNeeded(error) : [];
    for (const page of pages)
      if ((await elicit?.(page))?.action !== 'accept')
        throw new ProtocolError(-1, 'The user did not open the page.');
    if (pages.length === 0) throw error;
    return call();
  }
}
