import { z } from 'zod';
import type { Protocol } from '../wire/chat.ts';
import { MESSAGES, ModelError, modelError, refusedWith, wrongAddress } from './model-fault.ts';
import { fetchUpTo, type ModelServer } from './model-protocol.ts';

/** Timeout of a list of models, in milliseconds. */
const LIST_MS = 10_000;
/** Largest list of models, in bytes. */
const MAX_LIST_BYTES = 4 * 1024 * 1024;

const Tokens = z.number().int().positive().nullish().catch(null);
/** What OpenRouter, Groq, Mistral, vLLM and Anthropic say of a model beside its id, which others leave out. */
const Price = z.object({ prompt: z.coerce.number().min(0), completion: z.coerce.number().min(0) });
const Listed = z.object({
  id: z.string().min(1).max(300),
  context_length: Tokens,
  context_window: Tokens,
  max_context_length: Tokens,
  max_model_len: Tokens,
  max_input_tokens: Tokens,
  pricing: Price.nullish().catch(null),
});
const Models = z.object({ data: z.array(Listed).max(10_000) });

/** What Google says of a model in its own protocol; only some of them write texts. */
const OfGoogle = z.object({
  name: z.string().max(300),
  inputTokenLimit: Tokens,
  supportedGenerationMethods: z.array(z.string()).catch([]),
});
const GoogleModels = z.object({ models: z.array(OfGoogle).max(10_000) }).transform(({ models }) => ({
  data: models
    .filter(({ supportedGenerationMethods: methods }) => methods.includes('generateContent'))
    .map(({ name, inputTokenLimit }) =>
      Listed.parse({ id: name.replace(/^models\//, ''), max_input_tokens: inputTokenLimit }),
    ),
}));

/** The context of a model in tokens, and its price in US dollars for a million tokens. */
export const ModelFacts = z.object({
  context: z.exactOptional(z.number()),
  price: z.exactOptional(z.object({ input: z.number(), output: z.number() })),
});
type ModelFacts = z.infer<typeof ModelFacts>;

const MILLION = 1_000_000;

function factsOf({ pricing, ...said }: z.infer<typeof Listed>): ModelFacts {
  const context =
    said.context_length ??
    said.context_window ??
    said.max_context_length ??
    said.max_model_len ??
    said.max_input_tokens;
  return {
    ...(context && { context }),
    ...(pricing && { price: { input: pricing.prompt * MILLION, output: pricing.completion * MILLION } }),
  };
}

export type ListedModel = { id: string; facts: ModelFacts };

/** Anthropic takes its keys in a header of its own, except for chat completions, and lists 20 models without a limit. */
const ownHeaders = (key: string) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' });

type Get = (
  path: string,
  headers: Record<string, string>,
) => Promise<{ status: number; isOk: boolean; text: string }>;

/** Requests a list in the protocol of the provider. */
async function getList(get: Get, protocol: Protocol, key: string | null) {
  if (protocol === 'google') return get('/models?pageSize=1000', { 'x-goog-api-key': key ?? '' });
  if (protocol === 'anthropic') return get('/models?limit=1000', ownHeaders(key ?? ''));
  const answer = await get('/models', bearer(key));
  if (answer.status !== 401 || key === null) return answer;
  const own = await get('/models?limit=1000', ownHeaders(key));
  return own.isOk ? own : answer;
}

const bearer = (key: string | null): Record<string, string> =>
  key === null ? {} : { Authorization: `Bearer ${key}` };

/** OpenRouter lists its models without a key: only this address tells a wrong key. Others have none, or need the key for the list. */
async function requireKey(get: Get, key: string | null): Promise<void> {
  if (key === null || !(await get('/models', {})).isOk) return;
  const { status, text } = await get('/key', bearer(key));
  if (status === 401) throw refusedWith(status, text, key);
}

/**
 * The models that a provider lists.
 * @throws ModelError `address` if it is none, `key` for a key that it refuses, also where its list needs none
 */
export async function listModels(
  { baseUrl, key, protocol = 'openai' }: ModelServer,
  signal: AbortSignal,
): Promise<ListedModel[]> {
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)]);
  const get: Get = async (path, headers) => {
    const init = { headers: { Accept: 'application/json', ...headers }, signal: timeout };
    const answer = await fetchUpTo(MAX_LIST_BYTES)(`${baseUrl}${path}`, init);
    return { status: answer.status, isOk: answer.ok, text: await answer.text() };
  };
  try {
    const answer = await getList(get, protocol, key);
    if (answer.status === 404 || answer.status === 405) throw wrongAddress();
    if (!answer.isOk) throw refusedWith(answer.status, answer.text, key);
    const schema = protocol === 'google' ? GoogleModels : Models;
    const listed = schema.safeParse(JSON.parse(answer.text));
    if (!listed.success) throw wrongAddress();
    if (protocol === 'openai') await requireKey(get, key);
    return listed.data.data.map((model) => ({ id: model.id, facts: factsOf(model) }));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SyntaxError) throw wrongAddress();
    if (timeout.aborted) throw new ModelError('unreachable', MESSAGES.unreachable);
    throw modelError(error, key);
  }
}
