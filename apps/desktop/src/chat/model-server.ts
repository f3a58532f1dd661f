import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { cleanLine } from '@svc/text';
import { APICallError, jsonSchema, type ModelMessage, streamText, type ToolSet, tool } from 'ai';
import { z } from 'zod';
import type { ModelFault } from '../wire/chat.ts';

/** A model server as it is asked. The key is sent to it and to nothing else. */
export type ModelServer = { name: string; baseUrl: string; key: string | null };

/** Why a model did not answer, in words for the user. */
export class ModelError extends Error {
  readonly code: ModelFault;
  constructor(code: ModelFault, message: string) {
    super(message);
    this.name = 'ModelError';
    this.code = code;
  }
}

/** How long a list of models may take, and how long a model may be silent in the middle of an answer, in milliseconds. */
const LIST_MS = 10_000;
const SILENCE_MS = 180_000;
const MAX_LIST_CHARS = 4 * 1024 * 1024;
/** Longest text of one step, in characters. */
const MAX_TEXT = 1024 * 1024;
const MAX_DETAIL = 300;

const MESSAGES: Readonly<Record<Exclude<ModelFault, 'no-provider'>, string>> = {
  unreachable: 'The model provider does not answer. Check that it runs, and its address.',
  key: 'The model provider refuses the key. Enter a new one under Settings, Models.',
  model: 'The model provider does not have this model. Choose another one.',
  'no-tools': 'This model cannot call tools.',
  context: 'The conversation is longer than this model can read.',
  busy: 'The model provider has too many requests, or your quota is used up. Try again later.',
  silent: 'The model stopped answering.',
  'too-long': 'The answer is longer than this client accepts.',
  failed: 'The model provider failed.',
};

function codeOf(status: number | undefined, said: string): Exclude<ModelFault, 'no-provider'> {
  if (status === 401 || status === 403) return 'key';
  if (status === 429 || status === 402) return 'busy';
  if (/context.{0,20}(length|window|size)|too many tokens|prompt is too long/i.test(said)) return 'context';
  if (/(not|n't) support.{0,20}(tool|function)|(tool|function).{0,40}not support/i.test(said))
    return 'no-tools';
  if (status === 404) return 'model';
  return status === undefined ? 'unreachable' : 'failed';
}

/** What a provider said, in one line and without the key that it was asked with. */
const detailOf = (said: string, key: string | null): string =>
  cleanLine(key ? said.replaceAll(key, '…') : said, MAX_DETAIL);

function modelError(error: unknown, key: string | null): ModelError {
  if (error instanceof ModelError) return error;
  const isAnswer = APICallError.isInstance(error);
  const status = isAnswer ? error.statusCode : undefined;
  const said = isAnswer ? `${error.message} ${error.responseBody ?? ''}` : String(error);
  const isNetwork = isAnswer || error instanceof TypeError;
  const code = isNetwork ? codeOf(status, said.slice(0, 10_000)) : 'failed';
  const detail = isAnswer && status !== undefined ? ` ${detailOf(error.message, key)}` : '';
  return new ModelError(code, `${MESSAGES[code]}${detail}`);
}

/** Sends a request where it is addressed: an answer that leads elsewhere would take the key along. */
const straight: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'error' });

const Models = z.object({ data: z.array(z.object({ id: z.string().min(1).max(300) })).max(10_000) });

/** The models that a provider lists. @throws ModelError */
export async function listModels({ baseUrl, key }: ModelServer, signal: AbortSignal): Promise<string[]> {
  const headers = { Accept: 'application/json', ...(key !== null && { Authorization: `Bearer ${key}` }) };
  const within = AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)]);
  try {
    const answer = await straight(`${baseUrl}/models`, { headers, signal: within });
    const text = await answer.text();
    if (!answer.ok) {
      const code = codeOf(answer.status, '');
      throw new ModelError(code, `${MESSAGES[code]} (${answer.status})`);
    }
    const listed = Models.safeParse(text.length > MAX_LIST_CHARS ? null : JSON.parse(text));
    if (!listed.success) throw new ModelError('failed', 'This address does not list models as /models does.');
    return listed.data.data.map(({ id }) => id);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SyntaxError)
      throw new ModelError('failed', 'This address does not list models as /models does.');
    if (within.aborted) throw new ModelError('unreachable', MESSAGES.unreachable);
    throw modelError(error, key);
  }
}

/** A tool as a model is told of it. */
export type ModelTool = { name: string; description: string; inputSchema: Record<string, unknown> };

/**
 * What one request to a model brings. A call whose arguments are no JSON object has none. Usage comes last, where the provider tells it
 * unasked: some refuse a request that asks (`stream_options`).
 */
export type StepEvent =
  | { type: 'text' | 'reasoning'; text: string }
  | { type: 'call'; id: string; name: string; arguments: Record<string, unknown> | null }
  | { type: 'usage'; input: number; output: number }
  /** The provider ended the answer early: at its length, or by its filter. */
  | { type: 'notice'; code: 'cut' | 'filtered' };

export type Step = {
  server: ModelServer;
  model: string;
  instructions: string;
  messages: ModelMessage[];
  tools: readonly ModelTool[];
  signal: AbortSignal;
};

const toolSet = (tools: readonly ModelTool[]): ToolSet =>
  Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(inputSchema) }),
    ]),
  );

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Ends a request when nothing came for a while. */
function watchSilence() {
  const silent = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silent.abort(new ModelError('silent', MESSAGES.silent)), SILENCE_MS);
  };
  heard();
  return { signal: silent.signal, heard, stop: () => clearTimeout(timer) };
}

/** The request of a step. It is sent once: the user says whether it is tried again. */
function openStream({ server, model, instructions, messages, tools, signal }: Step, silent: AbortSignal) {
  const { name, baseUrl: baseURL, key } = server;
  const provider = createOpenAICompatible({
    ...{ name, baseURL, fetch: straight },
    ...(key !== null && { apiKey: key }),
  });
  return streamText({
    ...{ model: provider(model), instructions, messages, maxRetries: 0 },
    ...(tools.length > 0 && { tools: toolSet(tools) }),
    abortSignal: AbortSignal.any([signal, silent]),
    onError: () => undefined,
  }).stream;
}

type Part = ReturnType<typeof openStream> extends AsyncIterable<infer One> ? One : never;

const EARLY_ENDS: ReadonlyMap<string, 'cut' | 'filtered'> = new Map([
  ['length', 'cut'],
  ['content-filter', 'filtered'],
]);

/** How a request ended, where the provider says so. */
function endOf({ finishReason, usage }: Extract<Part, { type: 'finish-step' }>): StepEvent[] {
  const code = EARLY_ENDS.get(finishReason);
  const { inputTokens: input, outputTokens: output } = usage;
  return [
    ...(code === undefined ? [] : [{ type: 'notice' as const, code }]),
    ...(input === undefined || output === undefined ? [] : [{ type: 'usage' as const, input, output }]),
  ];
}

function eventsOf(part: Part): StepEvent[] {
  switch (part.type) {
    case 'error':
      throw part.error;
    case 'text-delta':
      return [{ type: 'text', text: part.text }];
    case 'reasoning-delta':
      return [{ type: 'reasoning', text: part.text }];
    case 'tool-call': {
      const { toolCallId: id, toolName: name, input } = part;
      return [{ type: 'call', id, name, arguments: isObject(input) ? input : null }];
    }
    case 'finish-step':
      return endOf(part);
    default:
      return [];
  }
}

/** Asks a model once, and gives what it answers as it arrives. @throws ModelError; the signal's reason when it is aborted */
export async function* streamStep(step: Step): AsyncGenerator<StepEvent> {
  const { server, signal } = step;
  const silence = watchSilence();
  let chars = 0;
  try {
    for await (const part of openStream(step, silence.signal)) {
      silence.heard();
      for (const event of eventsOf(part)) {
        chars += 'text' in event ? event.text.length : 0;
        if (chars > MAX_TEXT) throw new ModelError('too-long', MESSAGES['too-long']);
        yield event;
      }
    }
    AbortSignal.any([signal, silence.signal]).throwIfAborted();
  } catch (error) {
    signal.throwIfAborted();
    throw silence.signal.aborted ? silence.signal.reason : modelError(error, server.key);
  } finally {
    silence.stop();
  }
}
