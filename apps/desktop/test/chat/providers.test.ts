import type { IncomingMessage, ServerResponse } from 'node:http';
import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it } from 'vitest';
import { openProviders } from '../../src/chat/providers.ts';
import { tempFolder } from '../support/temp-folder.ts';

const KEY = 'sk-right';
const MODEL = 'the-model';

type Answered = [status: number, body: string];
type Provider = {
  /** The path of the base URL. */
  path: string;
  /** Who lists the models. */
  isKnown(headers: IncomingMessage['headers']): boolean;
  list: object;
  wrongKey: Answered;
  wrongModel: Answered;
  wrongPath: Answered;
  /** More addresses. */
  more?(path: string, headers: IncomingMessage['headers']): Answered | null;
};

const isBearer = ({ authorization }: IncomingMessage['headers']) => authorization === `Bearer ${KEY}`;
const listOf = (more: object = {}) => ({ object: 'list', data: [{ id: MODEL, ...more }] });

/** Providers, which answer as the real ones do. */
const PROVIDERS: Readonly<Record<string, Provider>> = {
  OpenAI: {
    path: '/v1',
    isKnown: isBearer,
    list: listOf(),
    wrongKey: [401, '{"error":{"message":"Incorrect API key provided: sk-w.","code":"invalid_api_key"}}'],
    wrongModel: [404, '{"error":{"message":"The model `none` does not exist","code":"model_not_found"}}'],
    wrongPath: [404, '{"error":{"message":"Invalid URL (POST /v2)","code":null}}'],
  },
  Anthropic: {
    path: '/v1',
    isKnown: (headers) => headers['x-api-key'] === KEY && headers['anthropic-version'] !== undefined,
    list: { data: [{ type: 'model', id: MODEL, max_input_tokens: 200_000 }], has_more: false },
    wrongKey: [401, '{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}'],
    wrongModel: [404, '{"type":"error","error":{"type":"not_found_error","message":"model: none"}}'],
    wrongPath: [404, '{"type":"error","error":{"type":"not_found_error","message":"Not Found"}}'],
  },
  Google: {
    path: '/v1beta/openai',
    isKnown: isBearer,
    list: listOf(),
    wrongKey: [
      400,
      '[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]',
    ],
    wrongModel: [404, '[{"error":{"code":404,"message":"models/none is not found for API version v1main"}}]'],
    wrongPath: [404, '<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>'],
  },
  OpenRouter: {
    path: '/api/v1',
    isKnown: () => true,
    list: listOf({ context_length: 8_000, pricing: { prompt: '0.000001', completion: '0.000002' } }),
    wrongKey: [401, '{"error":{"message":"User not found.","code":401}}'],
    wrongModel: [400, '{"error":{"message":"none is not a valid model ID","code":400}}'],
    wrongPath: [200, '<!DOCTYPE html><title>OpenRouter</title>'],
    more: (path, headers) =>
      path === '/key'
        ? isBearer(headers)
          ? [200, '{"data":{}}']
          : (PROVIDERS.OpenRouter?.wrongKey ?? null)
        : null,
  },
  Azure: {
    path: '/openai/v1',
    isKnown: isBearer,
    list: listOf(),
    wrongKey: [
      401,
      '{"error":{"code":"401","message":"Access denied due to invalid subscription key or wrong API endpoint."}}',
    ],
    wrongModel: [
      404,
      '{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}',
    ],
    wrongPath: [404, '{"error":{"code":"404","message":"Resource not found"}}'],
  },
};

async function modelIn(request: IncomingMessage): Promise<unknown> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body === '' ? null : JSON.parse(body).model;
}

const WORD = `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 0, model: MODEL, choices: [{ index: 0, delta: { content: 'yes' }, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`;

/** What a provider answers to a request of a path below its base URL. */
function answerOf(
  { isKnown, list, wrongKey, wrongModel, wrongPath, more }: Provider,
  path: string,
  { headers, model }: { headers: IncomingMessage['headers']; model: unknown },
): Answered {
  if (path === '/models') return isKnown(headers) ? [200, JSON.stringify(list)] : wrongKey;
  if (path !== '/chat/completions') return more?.(path, headers) ?? wrongPath;
  if (!isBearer(headers)) return wrongKey;
  return model === MODEL ? [200, WORD] : wrongModel;
}

const TYPES = new Map([
  ['<', 'text/html'],
  ['d', 'text/event-stream'],
]);

const answered = (provider: Provider) => async (request: IncomingMessage, response: ServerResponse) => {
  const model = await modelIn(request);
  const { pathname } = new URL(request.url ?? '', 'http://here');
  const { path: base } = provider;
  const path = pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : '';
  const [status, body] = answerOf(provider, path, { headers: request.headers, model });
  const type = TYPES.get(body.charAt(0)) ?? 'application/json';
  response.writeHead(status, { 'Content-Type': type }).end(body);
};

async function opened(provider: Provider) {
  const origin = await serveHere(() => (request, response) => void answered(provider)(request, response));
  const kept = new Map<string, string>();
  const providers = openProviders({
    folder: await tempFolder(),
    system: { now: () => 0, sleep: async () => undefined, randomBytes: (length) => new Uint8Array(length) },
    secrets: {
      read: async (name) => kept.get(name) ?? null,
      write: async (name, text) => void (text === null ? kept.delete(name) : kept.set(name, text)),
    },
    local: [],
  });
  const { signal } = new AbortController();
  const check = (given: { path?: string; key?: string; model?: string } = {}) => {
    const { path = provider.path, key = KEY, ...more } = given;
    return providers
      .check({ baseUrl: `${origin}${path}`, key, ...more }, signal)
      .then(() => 'connected')
      .catch((error) => error.code);
  };
  return { check, providers, baseUrl: `${origin}${provider.path}`, signal };
}

describe.each(Object.entries(PROVIDERS))('%s', (name, provider) => {
  it('tells a wrong base URL, a wrong model and a wrong key apart, before it is saved', async () => {
    const { check, providers, baseUrl, signal } = await opened(provider);
    expect(await check()).toBe('connected');
    expect(await check({ model: MODEL })).toBe('connected');
    expect(await check({ model: 'none' })).toBe('model');
    expect(await check({ key: 'sk-wrong' })).toBe('key');
    expect(await check({ key: 'sk-wrong', model: MODEL })).toBe('key');
    expect(await check({ path: '/v2' })).toBe('address');
    expect(await check({ path: '/v2', model: MODEL })).toBe('address');
    const { id } = await providers.add(name, baseUrl, KEY);
    expect((await providers.refresh(id, signal)).models).toEqual([MODEL]);
  });
});

it('keeps what providers say of the price and the context of a model', async () => {
  const facts = async (name: string) => {
    const { providers, baseUrl, signal } = await opened(PROVIDERS[name] as Provider);
    const { id } = await providers.add(name, baseUrl, KEY);
    return (await providers.refresh(id, signal)).facts;
  };
  expect(await facts('OpenRouter')).toEqual({ [MODEL]: { context: 8_000, price: { input: 1, output: 2 } } });
  expect(await facts('Anthropic')).toEqual({ [MODEL]: { context: 200_000 } });
});
