import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { isThisMachine } from '@svc/contracts/this-machine';
import { extractReasoningMiddleware, type LanguageModel, wrapLanguageModel } from 'ai';
import type { Protocol } from '../wire/chat.ts';
import type { Gathered } from './gathered.ts';
import { type Join, joinAnthropic, joinEvents, joinGoogle } from './join-events.ts';
import { MESSAGES, ModelError, wrongAddress } from './model-fault.ts';
import { repairAnswer } from './repair-answer.ts';

/** A model server. The key is sent to this server only. Without a protocol, it is that of OpenAI. */
export type ModelServer = { name: string; baseUrl: string; key: string | null; protocol?: Protocol };

/** Largest answer of a provider, in bytes. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Longest part of an answer without an empty line, in bytes: one event of a stream, or a whole document. */
const MAX_PART_BYTES = 8 * 1024 * 1024;

/** Where the last event of a text ends: with an empty line, after any line end (WHATWG HTML, section 9.2.5). */
const lastEnd = (text: Buffer): number =>
  Math.max(...['\n\n', '\n\r\n', '\r\r'].map((end) => text.lastIndexOf(end)));

/** A body that ends with an error when it, or one event of it, is larger than a limit. */
function bounded(body: ReadableStream<Uint8Array>, maxBytes: number): ReadableStream<Uint8Array> {
  let [bytes, part] = [0, 0];
  let tail = Buffer.alloc(0);
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const text = Buffer.concat([tail, chunk]);
      const end = lastEnd(text);
      bytes += chunk.byteLength;
      part = end < 0 ? part + chunk.byteLength : text.length - end;
      tail = Buffer.from(text.subarray(-2));
      if (bytes > maxBytes || part > MAX_PART_BYTES) throw new ModelError('too-long', MESSAGES['too-long']);
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

/** Hosts whose newer models refuse `max_tokens`. */
const NEWER = /^api\.openai\.com$|\.azure\.com$/;

/** The limit of an answer under the name that the provider takes. */
function withLimit(baseUrl: string, { max_tokens: limit, ...body }: Record<string, unknown>) {
  if (limit === undefined) return body;
  return NEWER.test(new URL(baseUrl).hostname)
    ? { ...body, max_completion_tokens: limit }
    : { ...body, max_tokens: limit };
}

/** Local servers that send their usage only where it is asked for, as those of OpenAI do: Ollama and LM Studio. */
const LOCAL_PORTS = new Set(['11434', '1234']);

/** Whether to ask for the usage of tokens (`stream_options`). Other servers send it by default, and some refuse the question. */
export function asksForUsage(baseUrl: string): boolean {
  const { hostname, port } = new URL(baseUrl);
  return NEWER.test(hostname) || (isThisMachine(hostname) && LOCAL_PORTS.has(port));
}

/** Some local servers send what a model thinks as text between these tags. */
const THINKING = extractReasoningMiddleware({ tagName: 'think' });

const fetchAnswer = fetchUpTo(MAX_ANSWER_BYTES);

function openAiModel({ name, baseUrl: baseURL, key }: ModelServer, model: string, into: Gathered) {
  const fetchRepaired: typeof fetch = async (input, init) => {
    const answer = await fetchAnswer(input, init);
    if (!answer.ok || !answer.body) return answer;
    const headers = { 'Content-Type': 'text/event-stream' };
    return new Response(repairAnswer(answer.body, into, key), { headers });
  };
  const provider = createOpenAICompatible({
    ...{ name, baseURL, fetch: fetchRepaired, includeUsage: asksForUsage(baseURL) },
    ...(key !== null && { apiKey: key }),
    transformRequestBody: (body) => withLimit(baseURL, body),
  });
  return wrapLanguageModel({ model: provider(model), middleware: THINKING });
}

/** A `fetch` whose answer has pieces of a text that arrive together as one event. */
const fetchJoined =
  (join: Join): typeof fetch =>
  async (input, init) => {
    const answer = await fetchAnswer(input, init);
    if (!answer.ok || !answer.body) return answer;
    const { status, statusText, headers } = answer;
    return new Response(joinEvents(answer.body, join), { status, statusText, headers });
  };

// The AI SDK prints its warnings to the terminal of the program otherwise.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** The limit of an answer in tokens, which Anthropic wants to be told; the AI SDK knows it for models that are older than itself. */
const CLAUDE_TOKENS = 32_000;

/** The longest answer to ask for, if the user sets none. */
export const longestAnswer = ({ protocol }: ModelServer, model: string): number | undefined =>
  protocol === 'anthropic' && !/claude-(?:instant|2|3)/.test(model) ? CLAUDE_TOKENS : undefined;

/** A model in the protocol of its server. @param into receives what a provider of the OpenAI protocol wants back */
export function languageModel(server: ModelServer, model: string, into: Gathered): LanguageModel {
  // Without a key given here, the AI SDK would read one from the environment.
  const options = { baseURL: server.baseUrl, apiKey: server.key ?? '' };
  switch (server.protocol) {
    case 'anthropic':
      return createAnthropic({ ...options, fetch: fetchJoined(joinAnthropic) })(model);
    case 'google':
      return createGoogle({ ...options, fetch: fetchJoined(joinGoogle) })(model);
    default:
      return openAiModel(server, model, into);
  }
}
