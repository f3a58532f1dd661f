import {
  asRefusal,
  type CallRequest,
  type CallResult,
  type Card,
  type Runtime,
  type System,
} from '@svc/runtime';
import { cleanLine } from '@svc/text';
import type { Asker, PromptQueue } from '../cards/prompt-queue.ts';
import type { Content, Desktop } from '../desktop.ts';
import type { PageEvents } from '../events/page-events.ts';
import { messageToUser } from '../http/answer.ts';

const MASK = '[masked]';

/** Longest text of one value, and of the line, in characters. */
const MAX_VALUE = 200;
const MAX_LINE = 600;
/** Deepest nesting that is shown. */
const MAX_DEPTH = 6;
/** Most values of one list or object that are shown. */
const MAX_ITEMS = 20;

/** Names of fields that hold secrets. */
const SECRET_NAME =
  /pass(?:word|phrase|code)?|secret|token|authori[sz]ation|api[-_]?key|credential|cookie|bearer|private[-_]?key/i;

/** Texts that look like tokens: after an auth scheme, JWTs, with a known prefix, or long and random. */
const SECRET_TEXT =
  /\b(?:bearer|basic)\s+[\w.~+/=-]{8,}|\beyJ[\w-]+\.[\w-]+\.[\w-]*|\b(?:sk|pk|rk|gh[a-z]|github_pat|glpat|xox[a-z]|svc[a-z]|npm|AKIA)[-_]?[\w-]{16,}|(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{32,}/gi;

const maskText = (text: string): string => {
  // Only the start is scanned, because a server may send a megabyte. The last word is dropped: it may be half a token.
  const limit = 8 * MAX_VALUE;
  const scanned = text.length <= limit ? text : text.slice(0, limit).replace(/(?<!\S)\S*$/, '');
  return cleanLine(scanned.replace(SECRET_TEXT, MASK), MAX_VALUE);
};

function mask(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return maskText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '…';
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => mask(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_ITEMS)
      .map(([name, item]) => [maskText(name), SECRET_NAME.test(name) ? MASK : mask(item, depth - 1)]),
  );
}

/**
 * Formats a value as one short line for display. Everything that looks like a token, or is named like one, is masked. It may mask too
 * much; no behaviour depends on it.
 */
export function masked(value: unknown): string {
  const text = typeof value === 'string' ? maskText(value) : JSON.stringify(mask(value, MAX_DEPTH));
  return cleanLine(text ?? '', MAX_LINE);
}

type Deps = {
  prompts: PromptQueue;
  events: PageEvents;
  system: Pick<System, 'now'>;
  newId(): string;
};

type Outcome = { outcome: string; content: unknown };

function describeRequest({ arguments: args, files = {} }: CallRequest): string {
  const fileTexts = Object.entries(files).map(
    ([param, list]) => `${param}: ${list.map(({ name }) => masked(name)).join(', ')}`,
  );
  return [masked(args), ...fileTexts].join(' + ');
}

const outcomeOf = ({ isError, parts, structured }: CallResult): Outcome => ({
  outcome: isError ? 'failed' : 'answered',
  content: structured ?? parts.map((part) => (part.type === 'text' ? part.text : part.file.name)),
});

function errorOutcome(error: unknown): Outcome {
  const refusal = asRefusal(error);
  return refusal
    ? { outcome: refusal.code, content: messageToUser(refusal) }
    : { outcome: 'ended', content: 'The caller gave up, or the desktop failed.' };
}

/** How long a call waited for the user, in milliseconds: for cards, and for a sign-in that one began. Waits at the same time count once. */
function followWaits({ events, system }: Pick<Deps, 'events' | 'system'>, appId: string) {
  let [open, since, waitedMs] = [0, 0, 0];
  let connects = false;
  function begin(): () => void {
    if (open === 0) since = system.now();
    open += 1;
    return () => {
      open -= 1;
      if (open === 0) waitedMs += system.now() - since;
    };
  }
  let signedIn = () => {};
  const stop = events.subscribe(null, (event) => {
    if (event.type !== 'runtime' || !('appId' in event.event) || event.event.appId !== appId) return;
    if (event.event.type === 'sign-in-started' && connects) {
      connects = false;
      signedIn = begin();
    } else if (event.event.type === 'sign-in-ended') {
      signedIn();
      signedIn = () => {};
    }
  });
  return {
    waits(card: Card) {
      connects ||= card.kind === 'connect';
      return begin();
    },
    ms: () => Math.round(waitedMs + (open > 0 ? system.now() - since : 0)),
    stop,
  };
}

/** Runs work of an app for a caller, and logs when it begins and ends. */
async function logged<T>(
  { prompts, events, system, newId }: Deps,
  asker: Asker,
  { appId, tool, request }: { appId: string; tool: string; request: string },
  { work, outcomeOf }: { work: () => Promise<T>; outcomeOf: (result: T) => Outcome },
): Promise<T> {
  const begun = system.now();
  const call = {
    ...{ log: newId(), at: new Date(begun).toISOString() },
    ...{ appId, tool, asker: asker.name, chat: asker.chat ?? null },
  };
  // Written before anything is sent, so that a call is known whatever happens to this process.
  events.emit({ type: 'call-begun', ...call });
  const waiting = followWaits({ events, system }, appId);
  const log = ({ outcome, content }: Outcome) =>
    events.emit({
      type: 'call-log',
      ...call,
      ms: Math.max(0, Math.round(system.now() - begun)),
      waitedMs: waiting.ms(),
      outcome,
      detail: `${request} → ${masked(content)}`,
    });
  try {
    const result = await prompts.as({ ...asker, waits: waiting.waits }, work);
    log(outcomeOf(result));
    return result;
  } catch (error) {
    log(errorOutcome(error));
    throw error;
  } finally {
    waiting.stop();
  }
}

/** Creates the function that calls tools for all callers. It emits the progress and the log of each call. */
export function createCall({ runtime, ...deps }: Deps & { runtime: Pick<Runtime, 'call'> }): Desktop['call'] {
  return async (asker, { appId, callId, ...request }) => {
    const onProgress: CallRequest['onProgress'] = (progress) => {
      deps.events.emit({ type: 'call-progress', callId, progress });
      request.onProgress?.(progress);
    };
    return logged(
      deps,
      asker,
      { appId, tool: request.tool, request: describeRequest(request) },
      { work: () => runtime.call(appId, { ...request, onProgress }), outcomeOf },
    );
  };
}

function textsOf(content: Content): string[] {
  const parts = 'messages' in content ? content.messages.map(({ part }) => part) : content;
  return parts.map((part) => (part.type === 'text' ? part.text : part.name));
}

/** Creates the function that reads resources and prompts of connectors. Reads are logged like calls. */
export const createRead =
  (deps: Deps): Desktop['read'] =>
  (asker, { appId, method, asked }, work) =>
    logged(
      deps,
      asker,
      { appId, tool: method, request: masked(asked) },
      { work, outcomeOf: (content) => ({ outcome: 'answered', content: textsOf(content) }) },
    );
