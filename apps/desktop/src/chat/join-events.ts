import { isObject } from '@svc/contracts/is-object';
import { parseAnswer } from '@svc/runtime/read-answer';
import { createParser } from 'eventsource-parser';
import { type Json, listOf } from './gathered.ts';

/** Joins two events of a protocol that are adjacent pieces of one text. @returns null if they are not */
export type Join = (before: Json, next: Json) => Json | null;

const hasOnly = (value: Json, ...names: string[]): boolean =>
  Object.keys(value).every((name) => names.includes(name));

/** The field with the text of a delta, by its type. */
const TEXTS = new Map<unknown, string>([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['input_json_delta', 'partial_json'],
]);

function deltaOf({ type, delta, ...others }: Json) {
  const name = isObject(delta) ? TEXTS.get(delta.type) : undefined;
  if (type !== 'content_block_delta' || !isObject(delta) || name === undefined) return null;
  const text = delta[name];
  return typeof text === 'string' && hasOnly(delta, 'type', name) && hasOnly(others, 'index')
    ? { delta, name, text }
    : null;
}

/** Events of Anthropic: pieces of one block. */
export const joinAnthropic: Join = (before, next) => {
  const [one, other] = [deltaOf(before), deltaOf(next)];
  if (!one || !other || one.name !== other.name || before.index !== next.index) return null;
  return { ...next, delta: { ...other.delta, [one.name]: one.text + other.text } };
};

function partOf(event: Json) {
  const [candidate, ...others] = listOf(event.candidates);
  const content = candidate?.content;
  if (!candidate || others.length > 0 || !isObject(content)) return null;
  const [part, ...more] = listOf(content.parts);
  if (!part || more.length > 0 || typeof part.text !== 'string') return null;
  const isPlain =
    hasOnly(event, 'candidates', 'usageMetadata', 'modelVersion', 'responseId') &&
    hasOnly(candidate, 'content', 'index') &&
    hasOnly(content, 'parts', 'role') &&
    hasOnly(part, 'text', 'thought');
  return isPlain ? { candidate, content, part, text: part.text } : null;
}

/** Events of Google: parts of one kind. The usage of the later one counts. */
export const joinGoogle: Join = (before, next) => {
  const [one, other] = [partOf(before), partOf(next)];
  if (!one || !other || one.part.thought !== other.part.thought) return null;
  const part = { ...other.part, text: one.text + other.text };
  const candidate = { ...other.candidate, content: { ...other.content, parts: [part] } };
  return { ...before, ...next, candidates: [candidate] };
};

function objectIn(data: string): Json | null {
  try {
    const value = parseAnswer(data);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const eventOf = (data: string): string =>
  `${data
    .split('\n')
    .map((line) => `data: ${line}`)
    .join('\n')}\n\n`;

/** The events that arrived together, with adjacent pieces of a text joined. What is no value stays as it is. */
function joined(arrived: readonly string[], join: Join): string {
  let said = '';
  let before: Json | null = null;
  const flush = () => {
    if (before) said += eventOf(JSON.stringify(before));
    before = null;
  };
  for (const data of arrived) {
    const value = objectIn(data);
    const both: Json | null = before && value && join(before, value);
    if (both === null) flush();
    before = both ?? value;
    if (before === null) said += eventOf(data);
  }
  flush();
  return said;
}

/** A stream of events in which pieces of a text that arrive together are one: each that the AI SDK reads costs as much as a long text. */
export function joinEvents(body: ReadableStream<Uint8Array>, join: Join): ReadableStream<Uint8Array> {
  let arrived: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => arrived.push(data) });
  const flush = (controller: TransformStreamDefaultController<string>) => {
    if (arrived.length > 0) controller.enqueue(joined(arrived, join));
    arrived = [];
  };
  const joining = new TransformStream<string, string>({
    transform(text, controller) {
      parser.feed(text);
      flush(controller);
    },
    flush(controller) {
      // The last event of some servers has no line end.
      parser.feed('\n\n');
      flush(controller);
    },
  });
  return body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(joining)
    .pipeThrough(new TextEncoderStream() as ReadableWritablePair<Uint8Array, string>);
}
