import { ReadableStream as NodeStream } from 'node:stream/web';
import { setTimeout as pause } from 'node:timers/promises';
import { isObject } from '@svc/contracts/is-object';
import { parseAnswer } from '@svc/runtime/read-answer';
import { createParser } from 'eventsource-parser';
import { type Gathered, gather, type Json, listOf, THOUGHTS, textOf } from './gathered.ts';
import { garbage, refusedWith } from './model-fault.ts';

const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};

function usageOf(given: unknown): Json | undefined {
  if (!isObject(given)) return undefined;
  const [input, output] = [numberOf(given.prompt_tokens), numberOf(given.completion_tokens)];
  return input === undefined && output === undefined
    ? undefined
    : { prompt_tokens: input, completion_tokens: output };
}

/** The statuses that providers put into an error within a stream, as a number. */
const statusOf = ({ code, status }: Json): number => numberOf(code) ?? numberOf(status) ?? 200;

/** Throws the error that a provider sent in place of an answer. */
function refuseError(value: Json, key: string | null): void {
  const { error, choices } = value;
  const isError = error !== undefined && error !== null && error !== false;
  const isOther = !isError && value.object === 'error' && choices === undefined;
  if (!isError && !isOther) return;
  throw refusedWith(statusOf(isObject(error) ? error : value), JSON.stringify(value), key);
}

/** A chunk of an answer in the form that the AI SDK reads. */
type Chunk = { choices: { delta: Json & { content: unknown }; finish_reason: null }[]; usage?: Json };

/** What a chunk adds to the answer, and how the answer ends, if it says so. */
function chunkOf(value: Json, into: Gathered): { chunk: Chunk | null; ends: string | null } {
  const usage = usageOf(value.usage);
  const [choice] = listOf(value.choices);
  const given =
    choice?.delta ?? choice?.message ?? (choice && 'text' in choice ? { content: choice.text } : {});
  const delta = isObject(given) ? given : {};
  gather(into, delta);
  const reasoning = THOUGHTS.map((name) => textOf(delta[name])).find(Boolean);
  const shown = {
    content: Array.isArray(delta.content) ? listOf(delta.content) : textOf(delta.content),
    ...(reasoning && { reasoning_content: reasoning }),
    ...(textOf(delta.refusal) && { refusal: delta.refusal }),
  };
  const isEmpty = choice === undefined && usage === undefined;
  const chunk = { choices: [{ delta: shown, finish_reason: null }], ...(usage && { usage }) };
  return { chunk: isEmpty ? null : chunk, ends: textOf(choice?.finish_reason) || null };
}

/** The text of a chunk that has nothing else. */
function onlyText({ choices: [choice], usage }: Chunk): string | null {
  const { content, ...others } = choice?.delta ?? { content: null };
  return usage || Object.keys(others).length > 0 || typeof content !== 'string' ? null : content;
}

/** Chunks that arrived together, with adjacent texts joined: each chunk that the AI SDK reads costs as much as a long text. */
function* joined(chunks: Iterable<Chunk>): Generator<Chunk> {
  let text = '';
  const flush = (): Chunk[] => {
    const all = text === '' ? [] : [{ choices: [{ delta: { content: text }, finish_reason: null }] }];
    text = '';
    return all;
  };
  try {
    for (const chunk of chunks) {
      const more = onlyText(chunk);
      if (more === null) yield* [...flush(), chunk];
      else text += more;
    }
  } catch (error) {
    // What arrived before a fault is shown.
    yield* flush();
    throw error;
  }
  yield* flush();
}

/** The calls as one chunk, each whole, with an index of its own. */
const callsChunk = ({ calls }: Gathered): Json => ({
  choices: [
    {
      delta: {
        tool_calls: calls.map(({ id, name, arguments: given }, index) => ({
          ...{ index, ...(id && { id }), type: 'function' },
          function: { ...(name && { name }), arguments: given },
        })),
      },
      finish_reason: null,
    },
  ],
});

const eventOf = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;

/** Longest wait for what comes after the end of an answer, in milliseconds: the tokens, and `[DONE]`. Some servers leave the stream open. */
const AFTER_END_MS = 5_000;

const streamOf = (texts: AsyncIterable<string>): ReadableStream<string> =>
  NodeStream.from(texts) as unknown as ReadableStream<string>;

type Texts = ReadableStreamDefaultReader<string>;

/** The texts of a body that begins with one that was read. The last event of some servers has no line end. */
async function* textsOf(first: string, rest: Texts): AsyncGenerator<string> {
  yield first;
  for (let piece = await rest.read(); !piece.done; piece = await rest.read()) yield piece.value;
  yield '\n\n';
}

/** What ends a stream without another reason. */
const DONE = { choices: [{ finish_reason: 'stop' }] };

/** The values of events up to the end of the stream, each read when it is asked for: one that cannot be read does not lose those before. */
function* valuesOf(arrived: readonly string[]): Generator<unknown> {
  for (const data of arrived) {
    if (data === '[DONE]') return yield DONE;
    if (data !== '') yield parsed(data);
  }
}

/** The values of the events that arrive together. Without one, the body is no stream of events. @throws ModelError */
async function* eventsIn(
  first: string,
  rest: Texts,
  isOver: () => boolean,
): AsyncGenerator<Iterable<unknown>> {
  let arrived: string[] = [];
  let isAny = false;
  const parser = createParser({ onEvent: ({ data }) => arrived.push(data.trim()) });
  const texts = textsOf(first, rest);
  const after = () => pause(AFTER_END_MS, { done: true, value: undefined } as const, { ref: false });
  try {
    for (;;) {
      const { done, value } = await (isOver() ? Promise.race([texts.next(), after()]) : texts.next());
      if (done && !isAny) throw garbage(first);
      if (done) return;
      parser.feed(value);
      isAny ||= arrived.length > 0;
      const together = arrived;
      arrived = [];
      yield valuesOf(together);
      if (together.includes('[DONE]')) return;
    }
  } finally {
    await rest.cancel();
  }
}

function parsed(data: string): unknown {
  try {
    return parseAnswer(data);
  } catch {
    throw garbage(data);
  }
}

/** A whole document, which servers that do not stream answer. */
async function* documentIn(first: string, rest: Texts): AsyncGenerator<Iterable<unknown>> {
  let text = '';
  for await (const piece of textsOf(first, rest)) text += piece;
  const value = parsed(text);
  yield [Array.isArray(value) ? value[0] : value];
}

async function* repairedTexts(
  body: ReadableStream<Uint8Array>,
  into: Gathered,
  key: string | null,
): AsyncGenerator<string> {
  const rest = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let reason: string | null = null;
  function* chunksOf(values: Iterable<unknown>): Generator<Chunk> {
    for (const value of values) {
      if (!isObject(value)) continue;
      refuseError(value, key);
      const { chunk, ends } = chunkOf(value, into);
      reason = value === DONE ? (reason ?? ends) : (ends ?? reason);
      if (chunk) yield chunk;
    }
  }
  const { value: first = '' } = await rest.read();
  const isDocument = /^\s*[[{]/.test(first);
  const arriving = isDocument ? documentIn(first, rest) : eventsIn(first, rest, () => reason !== null);
  for await (const values of arriving) for (const chunk of joined(chunksOf(values))) yield eventOf(chunk);
  into.isEarly = reason === null;
  if (into.calls.length > 0) yield eventOf(callsChunk(into));
  yield eventOf({ choices: [{ delta: {}, finish_reason: reason ?? 'stop' }] });
}

/**
 * The answer of an OpenAI-compatible server as the AI SDK reads it: events with only what belongs to the answer, calls whole and at the end,
 * and a reason of the end; also for servers that do not stream. What the provider wants back is gathered.
 */
export const repairAnswer = (
  body: ReadableStream<Uint8Array>,
  into: Gathered,
  key: string | null,
): ReadableStream<Uint8Array> =>
  streamOf(repairedTexts(body, into, key)).pipeThrough(
    new TextEncoderStream() as ReadableWritablePair<Uint8Array, string>,
  );
