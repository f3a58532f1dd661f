import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { guarded } from '@svc/contracts/guarded';
import { isObject } from '@svc/contracts/is-object';
import {
  extractReasoningMiddleware,
  jsonSchema,
  type ModelMessage,
  streamText,
  type ToolSet,
  tool,
  wrapLanguageModel,
} from 'ai';
import { MESSAGES, ModelError, modelError, wrongAddress } from './model-fault.ts';

/** A model server. The key is sent to this server only. */
export type ModelServer = { name: string; baseUrl: string; key: string | null };

/** Timeout of the first word of a trial, and of a pause within an answer, in milliseconds. */
const TRIAL_MS = 20_000;
const SILENCE_MS = 180_000;
/** Largest answer of a provider, in bytes. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Longest text of one step, in characters. */
const MAX_TEXT = 1024 * 1024;

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
export const fetchUpTo =
  (maxBytes: number): typeof fetch =>
  async (input, init) => {
    const { body, status, statusText, headers } = await fetch(input, { ...init, redirect: 'error' });
    // Websites answer any path with a page.
    if (status === 200 && headers.get('content-type')?.startsWith('text/html')) {
      await body?.cancel();
      throw wrongAddress();
    }
    return new Response(body && bounded(body, maxBytes), { status, statusText, headers });
  };

/** Waits for the first word of a model, which tells a wrong name from a wrong address. @throws ModelError */
export async function tryModel(server: ModelServer, model: string, signal: AbortSignal): Promise<void> {
  const messages: ModelMessage[] = [{ role: 'user', content: 'Say yes.' }];
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(TRIAL_MS)]);
  // Without a length: models that think refuse a short one.
  const step = { server, model, instructions: 'Answer in one word.', messages, tools: [], signal: timeout };
  try {
    for await (const { type } of streamStep(step)) if (type !== 'usage') return;
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) throw new ModelError('silent', MESSAGES.silent);
    throw error;
  }
  // A page or another answer with 200, without a word of a model.
  throw wrongAddress();
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

/** Hosts whose newer models refuse `max_tokens`. */
const NEWER = /^api\.openai\.com$|\.azure\.com$/;

/** The limit of an answer under the name that the provider takes. */
function withLimit(baseUrl: string, { max_tokens: limit, ...body }: Record<string, unknown>) {
  if (limit === undefined) return body;
  return NEWER.test(new URL(baseUrl).hostname)
    ? { ...body, max_completion_tokens: limit }
    : { ...body, max_tokens: limit };
}

/** Some local servers send what a model thinks as text between these tags. */
const THINKING = extractReasoningMiddleware({ tagName: 'think' });

/** Sends the request of a step once. The user decides whether to retry. */
function openStream(step: Step, silent: AbortSignal) {
  const { server, model, instructions, messages, tools, maxTokens, temperature, signal } = step;
  const { name, baseUrl: baseURL, key } = server;
  const provider = createOpenAICompatible({
    ...{ name, baseURL, fetch: fetchUpTo(MAX_ANSWER_BYTES) },
    ...(key !== null && { apiKey: key }),
    transformRequestBody: (body) => withLimit(baseURL, body),
  });
  return streamText({
    ...{ model: wrapLanguageModel({ model: provider(model), middleware: THINKING }) },
    ...{ instructions, messages, maxRetries: 0 },
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
