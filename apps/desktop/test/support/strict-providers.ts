import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { serveHere } from '@svc/testkit/http-server';
import type { Protocol } from '../../src/wire/chat.ts';

type Json = Record<string, unknown>;
export type Body = { messages?: Json[]; contents?: Json[]; system?: unknown; tools?: unknown } & Json;

/** A family of model providers: how it answers, and what it refuses of what a client sends back. */
type Family = {
  protocol: Protocol;
  /** The key as the family takes it. */
  keyOf(headers: IncomingMessage['headers']): unknown;
  /** Why the real provider would refuse a request; null if it takes it. */
  refuses(body: Body): string | null;
  refusal(message: string): Json | Json[];
  /** The events of a last answer. */
  done: readonly Json[];
  /** An error within a stream, or with a status: too busy, and a conversation that is too long. */
  busy: readonly Json[];
  tooLong: readonly [status: number, body: Json | Json[]];
};

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const equal = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const chunk = (delta: Json, reason: string | null = null): Json => ({
  ...{ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' },
  choices: [{ index: 0, delta, finish_reason: reason }],
});

/** The fields that an assistant's message may have, beside those that all families take. */
const FIELDS = ['role', 'content', 'tool_calls'];

const isBlank = (content: unknown): boolean =>
  typeof content === 'string'
    ? content !== '' && content.trim() === ''
    : listOf(content).some(({ type, text }) => type === 'text' && String(text).trim() === '');

/** What every OpenAI-compatible server refuses: other fields, blank texts, calls without results, results without calls. */
function commonFault({ messages = [] }: Body, more: readonly string[]): string | null {
  for (const [at, message] of messages.entries()) {
    if (isBlank(message.content)) return `messages.${at}: text must be non-empty`;
    if (message.role !== 'assistant') continue;
    const other = Object.keys(message).find((name) => ![...FIELDS, ...more].includes(name));
    if (other !== undefined) return `property 'messages.${at}.${other}' is unsupported`;
    const ids = listOf(message.tool_calls).map(({ id }) => id);
    const answered = messages.slice(at + 1, at + 1 + ids.length).map((next) => next.tool_call_id);
    if (!equal(ids, answered))
      return `An assistant message with 'tool_calls' must be followed by tool messages`;
  }
  return null;
}

/** The messages of the assistant that made the calls of the stream. */
const makers = ({ messages = [] }: Body) =>
  messages.filter((message) => listOf(message.tool_calls).length > 0);

/** A family of the OpenAI protocol. @param wants why a message with calls is refused */
const openAi = (
  more: readonly string[],
  wants: (message: Json) => string | null = () => null,
  changes: Partial<Family> = {},
): Family => ({
  protocol: 'openai',
  keyOf: ({ authorization }) => authorization?.replace('Bearer ', ''),
  refuses: (body) => commonFault(body, more) ?? makers(body).map(wants).find(Boolean) ?? null,
  refusal: (message) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
  done: [chunk({ role: 'assistant', content: 'Done.' }), chunk({}, 'stop')],
  busy: [{ error: { message: 'The engine is currently overloaded', type: 'server_error', code: 503 } }],
  tooLong: [
    400,
    {
      error: {
        message: "This model's maximum context length is 8192 tokens.",
        type: 'invalid_request_error',
        code: 'context_length_exceeded',
      },
    },
  ],
  ...changes,
});

/** Mistral refuses a message of the user between results and their answer. */
const takesNothingAfterResults = (family: Family): Family => ({
  ...family,
  refuses(body) {
    const roles = (body.messages ?? []).map(({ role }) => role);
    const isAfter = roles.some((role, at) => role === 'user' && roles[at - 1] === 'tool');
    return isAfter ? "Unexpected role 'user' after role 'tool'" : family.refuses(body);
  },
});

const wantsField =
  (field: string, value: unknown, message: string) =>
  (sent: Json): string | null =>
    equal(sent[field], value) ? null : message;

const wantsIds =
  (...ids: readonly string[]) =>
  (sent: Json): string | null =>
    equal(
      listOf(sent.tool_calls).map(({ id }) => id),
      ids,
    )
      ? null
      : `Tool call id was ${JSON.stringify(listOf(sent.tool_calls)[0]?.id)} but must be one of the model's`;

const REASONING = 'The `reasoning_content` in the thinking mode must be passed back to the API.';
const SIGNED = 'Function call is missing a thought_signature in functionCall parts.';

const ANTHROPIC_BLOCKS = [
  {
    type: 'thinking',
    thinking: 'The user wants both.',
    signature: 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk',
  },
  { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix/LafPsn4a' },
  { type: 'text', text: 'I send both.' },
  { type: 'tool_use', id: 'toolu_01T1x1fJ34qAmk2tNTrN7Up6', name: 'notes__send', input: { text: 'a' } },
  { type: 'tool_use', id: 'toolu_01Qm9dVb6RwKz2', name: 'notes__send', input: { text: 'b' } },
];

/** A message with calls goes back to Anthropic block by block, and its results follow at once. */
function anthropicFault({ messages = [], max_tokens: limit }: Body): string | null {
  if (typeof limit !== 'number') return 'max_tokens: Field required';
  for (const [at, { role, content }] of messages.entries()) {
    if (role === messages[at - 1]?.role) return 'messages: roles must alternate';
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
    if (isBlank(blocks)) return 'messages: text content blocks must contain non-whitespace text';
    if (!blocks.some(({ type }) => type === 'tool_use')) continue;
    if (!equal(blocks, ANTHROPIC_BLOCKS))
      return `messages.${at}.content.0: Invalid \`signature\` in \`thinking\` block`;
    const results = listOf(messages[at + 1]?.content).map(({ tool_use_id: id }) => id);
    const ids = ANTHROPIC_BLOCKS.flatMap(({ id }) => id ?? []);
    if (!equal(results.slice(0, 2), ids))
      return '`tool_use` ids were found without `tool_result` blocks immediately after';
  }
  return null;
}

/** What Google wants: the signature at the first of parallel calls, and as many responses as calls. */
function googleFault({ contents = [] }: Body): string | null {
  for (const [at, { role, parts }] of contents.entries()) {
    if (role === contents[at - 1]?.role) return 'Please ensure that multiturn requests alternate';
    const calls = listOf(parts).filter((part) => 'functionCall' in part);
    if (calls.length === 0) continue;
    if (calls[0]?.thoughtSignature !== 'EvQCCvECAdHtim9zaWduYXR1cmU=') return SIGNED;
    const responses = listOf(contents[at + 1]?.parts).filter((part) => 'functionResponse' in part);
    if (responses.length !== calls.length)
      return 'Please ensure that the number of function response parts is equal to that of the call parts.';
  }
  return null;
}

const googleError = (code: number, message: string, status: string): Json => ({
  error: { code, message, status },
});

/** The families, each with a stream of its first answer in `test/chat/families`. */
export const FAMILIES: Readonly<Record<string, Family>> = {
  openai: openAi([], wantsIds('call_q7Zt1mVb0sJd5yXk2nRw8cLe', 'call_b2Hn8xKc4pQz6uTg0vMs3dYa')),
  deepseek: openAi(
    ['reasoning_content'],
    wantsField('reasoning_content', 'The user wants both sent.', REASONING),
  ),
  kimi: openAi(
    ['reasoning_content'],
    (sent) =>
      wantsIds('functions.notes__send:0', 'functions.notes__send:1')(sent) ??
      wantsField(
        'reasoning_content',
        'Both, at once.',
        'thinking is enabled but reasoning_content is missing',
      )(sent),
  ),
  'gemini-compatible': openAi(
    ['extra_content'],
    (sent) =>
      equal(listOf(sent.tool_calls)[0]?.extra_content, {
        google: { thought_signature: 'EiQKIgGadK9hbGxvIHNpZ25hdHVyZQ==' },
      })
        ? null
        : SIGNED,
    { refusal: (message) => [googleError(400, message, 'INVALID_ARGUMENT')] },
  ),
  openrouter: openAi(
    ['reasoning', 'reasoning_details'],
    wantsField(
      'reasoning_details',
      [
        {
          type: 'reasoning.text',
          text: 'The user wants both.',
          format: 'anthropic-claude-v1',
          index: 0,
          signature: 'ErUBCkYIBxgCIkD0c2ln',
        },
        { type: 'reasoning.encrypted', data: 'b3BhcXVl', id: 'tool_x', format: 'google-gemini-v1', index: 1 },
      ],
      'Provider returned error: Expected `thinking` or `redacted_thinking`, but found `tool_use`',
    ),
  ),
  mistral: takesNothingAfterResults(
    openAi([], (sent) => {
      const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Both, at once.' }] };
      const isWhole = equal(sent.content, [thinking, { type: 'text', text: 'I send both.' }]);
      return wantsIds('aB3dE5gH1', 'iJ7lM9oP2')(sent) ?? (isWhole ? null : 'thinking chunks are missing');
    }),
  ),
  groq: openAi(['reasoning'], wantsField('reasoning', 'Both at once.', 'reasoning is missing')),
  xai: openAi(['reasoning_content']),
  minimax: openAi([], (sent) =>
    String(sent.content).includes('<think>\nBoth, at once.\n</think>') ? null : 'thinking is missing',
  ),
  ollama: openAi(['reasoning'], wantsIds('call_k2f8s1', 'call_p9d3x7')),
  litellm: openAi(
    ['reasoning_content', 'thinking_blocks'],
    wantsField(
      'thinking_blocks',
      [{ type: 'thinking', thinking: 'Both, at once.', signature: 'ErUBlite' }],
      'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`',
    ),
  ),
  anthropic: {
    protocol: 'anthropic',
    keyOf: (headers) => headers['x-api-key'],
    refuses: anthropicFault,
    refusal: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
    done: [
      {
        type: 'message_start',
        message: {
          id: 'msg_2',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [],
          usage: { input_tokens: 9, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Done.' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ],
    busy: [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
    tooLong: [
      400,
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'prompt is too long: 210000 tokens > 200000 maximum',
        },
      },
    ],
  },
  google: {
    protocol: 'google',
    keyOf: (headers) => headers['x-goog-api-key'],
    refuses: googleFault,
    refusal: (message) => googleError(400, message, 'INVALID_ARGUMENT'),
    done: [
      { candidates: [{ content: { parts: [{ text: 'Done.' }], role: 'model' }, finishReason: 'STOP' }] },
    ],
    busy: [googleError(503, 'The model is overloaded. Please try again later.', 'UNAVAILABLE')],
    tooLong: [
      400,
      googleError(
        400,
        'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
        'INVALID_ARGUMENT',
      ),
    ],
  },
};

const STREAMS = join(import.meta.dirname, '../chat/families');

/** The events of the first answer of a family: text, what it thinks, two calls at once. */
const recorded = (name: string): Json[] =>
  readFileSync(join(STREAMS, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);

const eventOf = (value: unknown): string =>
  typeof value === 'string'
    ? `${value}\n\n`
    : `${isTyped(value) ? `event: ${value.type}\n` : ''}data: ${JSON.stringify(value)}\n\n`;
const isTyped = (value: unknown): value is { type: string } => (value as Json).type !== undefined;

/** Whether the conversation has results of the app. */
const hasResults = (body: Body): boolean =>
  JSON.stringify([body.messages, body.contents]).includes('sent\\"}');

export type Answer = 'calls' | 'done' | 'busy' | 'tooLong' | 'wrongKey' | { events: readonly unknown[] };

const textIn = async (request: IncomingMessage): Promise<string> => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
};

const LIST = {
  ...{ object: 'list', data: [{ id: 'm' }] },
  models: [{ name: 'models/m', supportedGenerationMethods: ['generateContent'] }],
};

/** A server of a family. It refuses what the real one refuses. @param next decides what a taken request is answered with */
export async function strictServer(name: string, next: (body: Body) => Answer | null = () => null) {
  const family = FAMILIES[name] as Family;
  const requests: Body[] = [];
  const refused: string[] = [];
  /** The status and body of a refusal; null for a request that is taken. */
  function refusalOf(body: Body, answer: Answer, key: unknown): readonly [number, unknown] | null {
    if (answer === 'wrongKey' || key !== 'sk-test') return [401, family.refusal('invalid x-api-key')];
    const fault = family.refuses(body);
    if (fault !== null) refused.push(fault);
    if (fault !== null) return [400, family.refusal(fault)];
    return answer === 'tooLong' ? family.tooLong : null;
  }
  function eventsOf(answer: Answer): readonly unknown[] {
    if (typeof answer === 'object') return answer.events;
    return answer === 'done' || answer === 'busy' ? family[answer] : recorded(name);
  }
  function take(body: Body, headers: IncomingMessage['headers']) {
    requests.push(body);
    const answer = next(body) ?? (hasResults(body) ? 'done' : 'calls');
    return { answer, refusal: refusalOf(body, answer, family.keyOf(headers)) };
  }
  const baseUrl = await serveHere(() => async (request, response) => {
    const json = (status: number, body: unknown) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.method === 'GET') return json(200, LIST);
    const { answer, refusal } = take(JSON.parse(await textIn(request)) as Body, request.headers);
    if (refusal) return json(...refusal);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of eventsOf(answer)) response.write(eventOf(event));
    response.end(family.protocol === 'openai' ? 'data: [DONE]\n\n' : '');
  });
  return { baseUrl: `${baseUrl}/v1`, protocol: family.protocol, requests, refused };
}
