import { guarded } from '@svc/contracts/guarded';
import { isObject } from '@svc/contracts/is-object';
import { shortDescription } from '@svc/runtime/parts';
import {
  jsonSchema,
  type ModelMessage,
  // The other function keeps each part of the stream for a second reader.
  experimental_streamTextLowMemory as streamText,
  type ToolSet,
  tool,
} from 'ai';
import { type Gathered, gathered } from './gathered.ts';
import { collectBlocks, type Kept, keptOf } from './kept-step.ts';
import { ANSWER_LIMITS, flood, MESSAGES, ModelError, modelError, wrongAddress } from './model-fault.ts';
import { languageModel, longestAnswer, type ModelServer } from './model-protocol.ts';

/** Timeout of the first word of a trial, and of a pause within an answer, in milliseconds. */
const TRIAL_MS = 20_000;
const SILENCE_MS = 180_000;
/** Timeout of a whole step, also while words arrive, in milliseconds. */
const STEP_MS = 60 * 60_000;
/** Longest text of one step, in characters. */
const MAX_TEXT = 1024 * 1024;

/** Asks a model one question, with what it thinks of it left out. @throws ModelError; the signal's reason if aborted */
export async function askOnce(step: Omit<Step, 'tools'>, maxThoughts = MAX_TEXT): Promise<string> {
  let [text, thoughts] = ['', 0];
  for await (const event of streamStep({ ...step, tools: [] })) {
    if (event.type === 'text') text += event.text;
    if (event.type === 'reasoning') thoughts += event.text.length;
    if (thoughts > maxThoughts) throw new ModelError('too-long', MESSAGES['too-long']);
  }
  return text;
}

/** Waits for the first word of a model, which tells a wrong name from a wrong address. @throws ModelError */
export async function tryModel(server: ModelServer, model: string, signal: AbortSignal): Promise<void> {
  const messages: ModelMessage[] = [{ role: 'user', content: 'Say yes.' }];
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(TRIAL_MS)]);
  // Without a length: models that think refuse a short one.
  const step = { server, model, instructions: 'Answer in one word.', messages, tools: [], signal: timeout };
  try {
    for await (const { type } of streamStep(step)) if (type !== 'usage' && type !== 'kept') return;
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
  /** The provider ended the answer early: at its length, by its filter, or without a reason. */
  | { type: 'notice'; code: EarlyEnd }
  /** What the provider wants back with this step. */
  | { type: 'kept'; kept: Kept };

type EarlyEnd = 'cut' | 'filtered' | 'early';

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

/** The tools of a request. Anthropic and Google take descriptions of any length. */
function toolSet({ tools, server: { protocol = 'openai' } }: Step): ToolSet {
  const described = (text: string) => (protocol === 'openai' ? shortDescription(text) : text);
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      tool({ description: described(description), inputSchema: jsonSchema(inputSchema) }),
    ]),
  );
}

/** Aborts a request after a pause without data, and one that never ends. */
function watchSilence() {
  const silent = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const giveUp = () => silent.abort(new ModelError('silent', MESSAGES.silent));
  const reset = () => {
    clearTimeout(timer);
    timer = setTimeout(guarded(giveUp), SILENCE_MS);
  };
  const last = setTimeout(
    guarded(() => silent.abort(new ModelError('too-long', MESSAGES['too-long']))),
    STEP_MS,
  );
  reset();
  const stop = () => {
    clearTimeout(timer);
    clearTimeout(last);
  };
  return { signal: silent.signal, reset, stop };
}

/** Sends the request of a step once. The user decides whether to retry. */
function openStream(step: Step, into: Gathered, silent: AbortSignal) {
  const { server, model, instructions, messages, tools, temperature, signal } = step;
  const maxTokens = step.maxTokens ?? longestAnswer(server, model);
  return streamText({
    ...{ model: languageModel(server, model, into), messages, maxRetries: 0 },
    ...(instructions !== '' && { instructions }),
    ...(tools.length > 0 && { tools: toolSet(step) }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    abortSignal: AbortSignal.any([signal, silent]),
    onError: () => undefined,
  }).stream;
}

type Part = ReturnType<typeof openStream> extends AsyncIterable<infer One> ? One : never;

const EARLY_ENDS: ReadonlyMap<string, EarlyEnd> = new Map([
  ['length', 'cut'],
  ['content-filter', 'filtered'],
  ['interrupted', 'early'],
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
      return part.text === '' ? [] : [{ type: 'reasoning', text: part.text }];
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

/** Counts what arrives of a step. @throws ModelError as soon as it is more than a step may have */
function createMeter() {
  let [text, calls, callChars] = [0, 0, 0];
  return (part: Part): void => {
    if (part.type === 'text-delta' || part.type === 'reasoning-delta') text += part.text.length;
    if (part.type === 'tool-input-start') calls += 1;
    if (part.type === 'tool-input-delta') callChars += part.delta.length;
    if (text > MAX_TEXT) throw new ModelError('too-long', MESSAGES['too-long']);
    if (calls > ANSWER_LIMITS.calls || callChars > ANSWER_LIMITS.callChars) throw flood();
  };
}

/** Sends one request to a model, and yields the streamed answer. @throws ModelError; the signal's reason if aborted */
export async function* streamStep(step: Step): AsyncGenerator<StepEvent> {
  const { server, signal } = step;
  const silence = watchSilence();
  const [into, blocks, count] = [gathered(), collectBlocks(), createMeter()];
  let hasBegun = false;
  try {
    for await (const part of openStream(step, into, silence.signal)) {
      silence.reset();
      count(part);
      blocks.add(part);
      for (const event of eventsOf(part)) {
        hasBegun = true;
        yield event;
      }
    }
    AbortSignal.any([signal, silence.signal]).throwIfAborted();
    if (into.isEarly) yield { type: 'notice', code: 'early' };
    const kept = (server.protocol ?? 'openai') === 'openai' ? keptOf(into) : blocks.kept();
    if (kept) yield { type: 'kept', kept };
  } catch (error) {
    signal.throwIfAborted();
    throw silence.signal.aborted ? silence.signal.reason : modelError(error, server.key, hasBegun);
  } finally {
    silence.stop();
  }
}
