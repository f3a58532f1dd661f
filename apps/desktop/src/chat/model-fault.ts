import { causesOf } from '@svc/contracts/causes';
import { cleanLine } from '@svc/text';
import { APICallError, StreamProviderError } from 'ai';
import type { ModelFault } from '../wire/chat.ts';

/** A model did not answer. The message is for the user. */
export class ModelError extends Error {
  readonly code: ModelFault;
  constructor(code: ModelFault, message: string) {
    super(message);
    this.name = 'ModelError';
    this.code = code;
  }
}

const MAX_DETAIL = 300;

/** Most calls of one step, and their arguments in characters. */
export const ANSWER_LIMITS = { calls: 64, callChars: 1024 * 1024 };

export const MESSAGES: Readonly<Record<Exclude<ModelFault, 'no-provider'>, string>> = {
  unreachable: 'The model provider does not respond. Check that it is running and that its URL is correct.',
  address: 'There is no OpenAI-compatible model provider at this base URL. Check it: most end with /v1.',
  key: 'The model provider rejected the API key. Enter a new one under Settings, Models.',
  model: 'The model provider does not have this model. Choose another model.',
  'no-tools': 'This model cannot call tools.',
  'no-pictures': 'This model cannot read pictures.',
  'no-system': 'This model takes no instructions.',
  history: 'The model provider does not accept the earlier messages of this conversation.',
  context: 'The conversation is too long for this model.',
  busy: 'The model provider is busy, or your quota is used up. Try again later.',
  silent: 'The model stopped answering.',
  'too-long': 'The answer is longer than svc accepts.',
  flood: `The model asked for more than ${ANSWER_LIMITS.calls} calls at once, or for calls with too many arguments. None of them was made.`,
  cut: 'The connection to the model provider was lost before the answer was complete.',
  garbage: 'The model provider sent something that is not an answer.',
  empty: 'The model answered nothing.',
  failed: 'The model provider failed.',
};

/** No model is chosen. */
export const noModel = (): ModelError =>
  new ModelError('no-provider', 'Choose a model first: add a provider under Settings, Models.');

/** A step has more calls, or longer ones, than it may have. */
export const flood = (): ModelError => new ModelError('flood', MESSAGES.flood);

/** What came is no answer. @param said the first of it */
export const garbage = (said: string): ModelError =>
  new ModelError('garbage', withWords(MESSAGES.garbage, said, null));

/** No provider responds at an address as one should. */
export const wrongAddress = (): ModelError => new ModelError('address', MESSAGES.address);

/** The name in the address leads nowhere. */
const UNKNOWN_HOST = 'The host in the base URL does not exist. Check its name, and your network.';

type Code = Exclude<ModelFault, 'no-provider'>;

/**
 * What providers say, most telling first. Statuses alone do not tell: Google answers 400 for a wrong key, OpenRouter 400 for a wrong model,
 * OpenAI 403 for a model that a project may not use, and each of them 404 for a wrong path as for a wrong model.
 */
const WORDS: readonly [code: Code, said: readonly string[]][] = [
  [
    'history',
    [
      ...['thought_signature', 'thought signature', 'reasoning_content', 'reasoning & passed back'],
      ...['signature & thinking', 'expected `thinking`', 'expected `redacted_thinking`'],
      ...['tool_use & tool_result', 'tool call id', 'tool_call_id', 'function response parts'],
    ],
  ],
  [
    'no-pictures',
    [
      ...['not support & image', 'not a multimodal', 'support image input', 'cannot read image'],
      // Mistral takes nothing between results and their answer: pictures of results are such a message.
      "role 'user' after role 'tool'",
      ...['unknown variant `image_url`', 'image_url & not supported', 'invalid content type & image'],
    ],
  ],
  [
    'no-tools',
    [
      ...['not support & tool', 'not support & function', 'support tool use', 'tool calling & not supported'],
      ...['enable-auto-tool-choice', 'tools param requires', 'unrecognized request argument & tools'],
      'extra_forbidden & "tools"',
    ],
  ],
  [
    'no-system',
    ['system role not supported', 'system role is not supported', 'developer instruction is not'],
  ],
  [
    'model',
    [
      ...[
        'model_not_found',
        'not_found_error & model',
        'model & not found',
        'model & not exist',
        'no such model',
      ],
      ...[
        'deploymentnotfound',
        'not a valid model',
        'invalid model',
        'access to model',
        'no endpoints found',
      ],
    ],
  ],
  [
    'key',
    [
      ...['api_key_invalid', 'invalid_api_key', 'incorrect api key', 'invalid api key'],
      ...['api key not valid', 'api key not found', 'api key expired'],
    ],
  ],
  ['busy', ['insufficient_quota', 'credit balance', 'resource_exhausted', 'overloaded']],
  [
    'context',
    [
      ...['context length', 'context_length', 'context window', 'context size', 'too many tokens'],
      ...['prompt is too long', 'input is too long', 'exceeds the maximum number of tokens'],
    ],
  ],
];

/** The first meaning whose words are all there. */
function meaningOf(text: string): Code | undefined {
  const said = text.toLowerCase();
  const isSaid = (words: string) => words.split(' & ').every((word) => said.includes(word));
  return WORDS.find(([, alternatives]) => alternatives.some(isSaid))?.[0];
}

const BY_STATUS: Readonly<Record<number, Code>> = {
  401: 'key',
  402: 'busy',
  403: 'key',
  404: 'address',
  405: 'address',
  429: 'busy',
  529: 'busy',
};

/** What a response of a provider means. @param said its body, and what else is known of the error */
export function codeOf(status: number, said: string): Code {
  const isPage = said.trimStart().startsWith('<');
  // A limit of requests names models and tokens, but nothing is wrong with them.
  const found = isPage || status === 429 ? undefined : meaningOf(said);
  return found ?? BY_STATUS[status] ?? (isPage && status < 500 ? 'address' : 'failed');
}

/** The provider's message as one line, with the key masked. */
const detailOf = (said: string, key: string | null): string =>
  cleanLine(key ? said.replaceAll(key, '…') : said, MAX_DETAIL);

/** The words in the body of an error: `{ error: { message } }` of most, in a list of Google, `{ message }` or `{ error }` of others. */
export function wordsIn(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    const { error = value, message } = (Array.isArray(value) ? value[0] : value) ?? {};
    const said = error?.message ?? message ?? error;
    return typeof said === 'string' ? said : '';
  } catch {
    return '';
  }
}

/** A message with the words of a provider. */
const withWords = (message: string, said: string, key: string | null): string =>
  [message, detailOf(said, key)].filter(Boolean).join(' ');

/** What a refused request means, with the words of the provider. */
export function refusedWith(status: number, body: string, key: string | null): ModelError {
  const code = codeOf(status, body.slice(0, 10_000));
  return new ModelError(code, withWords(MESSAGES[code], wordsIn(body), key));
}

/** The errors with which the AI SDK says that what came is no answer. */
const NO_ANSWER = new Set([
  'AI_JSONParseError',
  'AI_TypeValidationError',
  'AI_InvalidResponseDataError',
  'AI_NoOutputGeneratedError',
  'AI_EmptyResponseBodyError',
]);

/** What any error of a request to a provider means. @param hasBegun the answer had begun to arrive */
export function modelError(error: unknown, key: string | null, hasBegun = false): ModelError {
  const own = causesOf(error).find((cause) => cause instanceof ModelError);
  if (own) return own;
  if (StreamProviderError.isInstance(error)) {
    const { message, type, statusCode = 200 } = error;
    return refusedWith(statusCode, JSON.stringify({ error: { message, type } }), key);
  }
  if (APICallError.isInstance(error) && error.statusCode !== undefined && error.statusCode >= 400)
    return refusedWith(error.statusCode, error.responseBody ?? '', key);
  if (causesOf(error).some(({ code }) => code === 'ENOTFOUND'))
    return new ModelError('address', UNKNOWN_HOST);
  const code = codeOfError(error, hasBegun);
  return new ModelError(code, MESSAGES[code]);
}

function codeOfError(error: unknown, hasBegun: boolean): Code {
  const causes = causesOf(error);
  const isUnanswered = APICallError.isInstance(error) && error.statusCode === undefined;
  if (isUnanswered || causes.some((cause) => cause instanceof TypeError))
    return hasBegun ? 'cut' : 'unreachable';
  const isGarbage = causes.some(({ name }) => NO_ANSWER.has(name));
  return meaningOf(String(error)) ?? (isGarbage ? 'garbage' : 'failed');
}
