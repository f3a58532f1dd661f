import { causesOf } from '@svc/contracts/causes';
import { cleanLine } from '@svc/text';
import { APICallError } from 'ai';
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

export const MESSAGES: Readonly<Record<Exclude<ModelFault, 'no-provider'>, string>> = {
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

/** The name in the address leads nowhere. */
const UNKNOWN_HOST = 'The host in the base URL does not exist. Check its name, and your network.';

type Code = Exclude<ModelFault, 'no-provider'>;

/**
 * What providers say, most telling first. Statuses alone do not tell: Google answers 400 for a wrong key, OpenRouter 400 for a wrong model,
 * OpenAI 403 for a model that a project may not use, and each of them 404 for a wrong path as for a wrong model.
 */
const WORDS: readonly [code: Code, said: readonly string[]][] = [
  ['no-tools', ['not support & tool', 'not support & function', 'support tool use']],
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
  ['context', ['context length', 'context window', 'context size', 'too many tokens', 'prompt is too long']],
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

/** What a refused request means, with the words of the provider. */
export function refusedWith(status: number, body: string, key: string | null): ModelError {
  const code = codeOf(status, body.slice(0, 10_000));
  return new ModelError(code, [MESSAGES[code], detailOf(wordsIn(body), key)].filter(Boolean).join(' '));
}

/** What any error of a request to a provider means. */
export function modelError(error: unknown, key: string | null): ModelError {
  if (error instanceof ModelError) return error;
  if (causesOf(error).some(({ code }) => code === 'ENOTFOUND'))
    return new ModelError('address', UNKNOWN_HOST);
  if (APICallError.isInstance(error) && error.statusCode !== undefined && error.statusCode >= 400)
    return refusedWith(error.statusCode, error.responseBody ?? '', key);
  const isNetwork =
    error instanceof TypeError || (APICallError.isInstance(error) && error.statusCode === undefined);
  const code = isNetwork ? 'unreachable' : (meaningOf(String(error)) ?? 'failed');
  return new ModelError(code, MESSAGES[code]);
}
