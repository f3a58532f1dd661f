import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { guarded } from '@svc/contracts/guarded';
import { isObject } from '@svc/contracts/is-object';
import { cleanLine } from '@svc/text';
import { APICallError, jsonSchema, type ModelMessage, streamText, type ToolSet, tool } from 'ai';
import { z } from 'zod';
import type { ModelFacts, ModelFault } from '../wire/chat.ts';

/** A model server. The key is sent to this server only. */
export type ModelServer = { name: string; baseUrl: string; key: string | null };

/** A model did not answer. The message is for the user. */
export class ModelError extends Error {
  readonly code: ModelFault;
  constructor(code: ModelFault, message: string) {
    super(message);
    this.name = 'ModelError';
    this.code = code;
  }
}

/** Timeout of a list of models, and of a pause within an answer, in milliseconds. */
const LIST_MS = 10_000;
const SILENCE_MS = 180_000;
/** Largest list of models, and largest answer of a provider, in bytes. */
const MAX_LIST_BYTES = 4 * 1024 * 1024;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Longest text of one step, in characters. */
const MAX_TEXT = 1024 * 1024;
const MAX_DETAIL = 300;

const MESSAGES: Readonly<Record<Exclude<ModelFault, 'no-provider'>, string>> = {
  unreachable: 'The model provider does not respond. Check that it is running and that its URL is correct.',
  address: 'There is no OpenAI-compatible model provider at this base URL. Check it: most end with /v1.',
  key: 'The model provider rejected the API key. Enter a new one under Settings, Models.',
  model: 'The model provider does not have this model. Choose another model.',
  'no-tools': 'This model cannot call tools.',
  context: 'The conversation is too long for this model.',
  busy: 'The model provider is busy, or your quota is used up. Try again later.',
  silent: 'The model stopped answering.',
  'too-long': 'The answer is longer than svc accepts.',
  failed: 'The model provider failed.',
};

/** No provider responds at an address as one should. */
export const wrongAddress = (): ModelError => new ModelError('address', MESSAGES.address);

function codeOf(status: number | undefined, detail: string): Exclude<ModelFault, 'no-provider'> {
  if (status === 401 || status === 403) return 'key';
  if (status === 429 || status === 402) return 'busy';
  if (/context.{0,20}(length|window|size)|too many tokens|prompt is too long/i.test(detail)) return 'context';
  if (/(not|n't) support.{0,20}(tool|function)|(tool|function).{0,40}not support/i.test(detail))
    return 'no-tools';
  if (status === 404) return 'model';
  return status === undefined ? 'unreachable' : 'failed';
}

/** The provider's message as one line, with the key masked. */
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

/** A body that ends with an error when it is larger than a limit. */
function bounded(body: ReadableStream<Uint8Array>, maxBytes: number): ReadableStream<Uint8Array> {
  let bytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new ModelError('too-long', MESSAGES['too-long']);
      controller.enqueue(chunk);
    },
  });
  return body.pipeThrough(count);
}

/** Creates a `fetch` with a size limit, and without redirects, which would forward the key to another host. */
const fetchUpTo =
  (maxBytes: number): typeof fetch =>
  async (input, init) => {
    const { body, status, statusText, headers } = await fetch(input, { ...init, redirect: 'error' });
    return new Response(body && bounded(body, maxBytes), { status, statusText, headers });
  };

/** What OpenRouter and Groq say of a model beside its id, which others leave out. */
const Price = z.object({ prompt: z.coerce.number().min(0), completion: z.coerce.number().min(0) });
const Listed = z.object({
  id: z.string().min(1).max(300),
  context_length: z.number().int().positive().nullish().catch(null),
  context_window: z.number().int().positive().nullish().catch(null),
  pricing: Price.nullish().catch(null),
});
const Models = z.object({ data: z.array(Listed).max(10_000) });

const MILLION = 1_000_000;

function factsOf({ context_length, context_window, pricing }: z.infer<typeof Listed>): ModelFacts {
  const context = context_length ?? context_window;
  return {
    ...(context && { context }),
    ...(pricing && { price: { input: pricing.prompt * MILLION, output: pricing.completion * MILLION } }),
  };
}

export type ListedModel = { id: string; facts: ModelFacts };

/** The models that a provider lists. @throws ModelError `address` if it is none */
export async function listModels({ baseUrl, key }: ModelServer, signal: AbortSignal): Promise<ListedModel[]> {
  const headers = { Accept: 'application/json', ...(key !== null && { Authorization: `Bearer ${key}` }) };
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)]);
  try {
    const answer = await fetchUpTo(MAX_LIST_BYTES)(`${baseUrl}/models`, { headers, signal: timeout });
    const text = await answer.text();
    if (!answer.ok) {
      const code = answer.status === 404 || answer.status === 405 ? 'address' : codeOf(answer.status, '');
      throw new ModelError(code, `${MESSAGES[code]} (${answer.status})`);
    }
    const listed = Models.safeParse(JSON.parse(text));
    if (!listed.success) throw wrongAddress();
    return listed.data.data.map((model) => ({ id: model.id, facts: factsOf(model) }));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SyntaxError) throw wrongAddress();
    if (timeout.aborted) throw new ModelError('unreachable', MESSAGES.unreachable);
    throw modelError(error, key);
  }
}

/** Asks a model for one word, which tells a wrong name from a wrong address. @throws ModelError */
export async function tryModel(server: ModelServer, model: string, signal: AbortSignal): Promise<void> {
  const messages: ModelMessage[] = [{ role: 'user', content: 'Say yes.' }];
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(2 * LIST_MS)]);
  const step = { server, model, instructions: 'Answer in one word.', messages, tools: [], signal: timeout };
  try {
    for await (const _event of streamStep({ ...step, maxTokens: 16 })) return;
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) throw new ModelError('silent', MESSAGES.silent);
    throw error;
  }
}

export type ModelTool = { name: string; description: string; inputSchema: Record<string, unknown> };

/**
 * An event of one request to a model. `arguments` is null if it is not a JSON object. Usage comes last, if the provider sends it by
 * default: some refuse requests with `stream_options`.
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
  /** Longest answer, in tokens. Default: the model's own. */
  maxTokens?: number;
  /** From 0 to 2. Default: the model's own. */
  temperature?: number;
  signal: AbortSignal;
};

const toolSet = (tools: readonly ModelTool[]): ToolSet =>
  Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(inputSchema) }),
    ]),
  );

/** Aborts a request after a pause without data. */
function watchSilence() {
  const silent = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const giveUp = () => silent.abort(new ModelError('silent', MESSAGES.silent));
  const reset = () => {
    clearTimeout(timer);
    timer = setTimeout(guarded(giveUp), SILENCE_MS);
  };
  reset();
  return { signal: silent.signal, reset, stop: () => clearTimeout(timer) };
}

/** Sends the request of a step once. The user decides whether to retry. */
function openStream(step: Step, silent: AbortSignal) {
  const { server, model, instructions, messages, tools, maxTokens, temperature, signal } = step;
  const { name, baseUrl: baseURL, key } = server;
  const provider = createOpenAICompatible({
    ...{ name, baseURL, fetch: fetchUpTo(MAX_ANSWER_BYTES) },
    ...(key !== null && { apiKey: key }),
  });
  return streamText({
    ...{ model: provider(model), instructions, messages, maxRetries: 0 },
    ...(tools.length > 0 && { tools: toolSet(tools) }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    abortSignal: AbortSignal.any([signal, silent]),
    onError: () => undefined,
  }).stream;
}

type Part = ReturnType<typeof openStream> extends AsyncIterable<infer One> ? One : never;

const EARLY_ENDS: ReadonlyMap<string, 'cut' | 'filtered'> = new Map([
  ['length', 'cut'],
  ['content-filter', 'filtered'],
]);

/** How a request ended, if the provider says so. */
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

/** Sends one request to a model, and yields the streamed answer. @throws ModelError; the signal's reason if aborted */
export async function* streamStep(step: Step): AsyncGenerator<StepEvent> {
  const { server, signal } = step;
  const silence = watchSilence();
  let chars = 0;
  try {
    for await (const part of openStream(step, silence.signal)) {
      silence.reset();
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
