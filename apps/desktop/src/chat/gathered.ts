import { isObject } from '@svc/contracts/is-object';
import { ANSWER_LIMITS, flood } from './model-fault.ts';

export type Json = Record<string, unknown>;

/** A call of a tool as it arrived: its pieces joined. `beside` is what the provider put beside it. */
type Arrived = { index: unknown; id: string; name: string; arguments: string; beside: Json };

/** What an OpenAI-compatible answer has beside texts and arguments; the provider wants it back (see `kept-step.ts`). */
export type Gathered = {
  /** Fields of the message that are no text of the answer: what it thinks, under the name that the provider uses, and signatures. */
  fields: Json;
  /** Its text, as it arrived: with tags around what the model thinks, or as the list of parts that some providers send. */
  raw: string;
  parts: Json[];
  calls: Arrived[];
  /** The stream ended without saying how the answer ended. */
  isEarly: boolean;
};

export const gathered = (): Gathered => ({ fields: {}, raw: '', parts: [], calls: [], isEarly: false });

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
export const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Texts of what a model thinks, in the fields that providers use. */
export const THOUGHTS = ['reasoning_content', 'reasoning'] as const;
/** Lists of what a model thinks, with signatures: of OpenRouter, and of LiteLLM. */
const THOUGHT_LISTS = ['reasoning_details', 'thinking_blocks'] as const;
/** Texts within their entries, which arrive in pieces. */
const PIECES = ['text', 'summary', 'thinking'] as const;

/** Adds an entry of a list; a piece of the entry before continues that. */
function addEntry(list: Json[], entry: Json): void {
  const last = list.at(-1);
  const isPiece = PIECES.some((name) => name in entry) || 'signature' in entry;
  if (!last || !isPiece || last.type !== entry.type || last.index !== entry.index || last.signature) {
    list.push({ ...entry });
    return;
  }
  for (const [name, value] of Object.entries(entry)) {
    const isText = PIECES.some((one) => one === name);
    if (isText) last[name] = textOf(last[name]) + textOf(value);
    else if (value !== null && value !== '') last[name] = value;
  }
}

function gatherFields({ fields }: Gathered, delta: Json): void {
  for (const name of THOUGHTS)
    if (typeof delta[name] === 'string' && delta[name] !== '')
      fields[name] = textOf(fields[name]) + delta[name];
  for (const name of THOUGHT_LISTS) {
    const list = listOf(fields[name]);
    for (const entry of listOf(delta[name])) addEntry(list, entry);
    if (list.length > 0) fields[name] = list;
  }
  if (isObject(delta.extra_content)) fields.extra_content = delta.extra_content;
}

function gatherText(into: Gathered, content: unknown): void {
  into.raw += textOf(content);
  for (const part of listOf(content)) {
    const last = into.parts.at(-1);
    if (part.type === 'text' && last?.type === 'text') last.text = textOf(last.text) + textOf(part.text);
    else if (part.type === 'thinking' && last?.type === 'thinking')
      last.thinking = [{ type: 'text', text: thoughtIn(last) + thoughtIn(part) }];
    else into.parts.push(part);
  }
}

/** The text of a part of what Mistral's models think. */
const thoughtIn = ({ thinking }: Json): string =>
  textOf(thinking) ||
  listOf(thinking)
    .map(({ text }) => textOf(text))
    .join('');

/**
 * The call that a piece belongs to: that of its index, unless it has another id; without an index the last one, unless it has an id or a name.
 * Some servers give every call the index 0, and some none.
 */
function callOf(calls: readonly Arrived[], { index, id }: Json, name: string): Arrived | undefined {
  const given = textOf(id);
  const known =
    index === null || index === undefined ? calls.at(-1) : calls.findLast((call) => call.index === index);
  if (known === undefined || (given !== '' && known.id !== '' && given !== known.id)) return undefined;
  const isWhole = given === '' && name !== '' && known.name !== '' && (index ?? null) === null;
  return isWhole ? undefined : known;
}

/** Joins the pieces of calls. @throws ModelError when a step has more than it may have, as soon as that has arrived */
function gatherCalls({ calls }: Gathered, pieces: unknown): void {
  for (const { function: called, type: _type, index, id, ...beside } of listOf(pieces)) {
    const { name, arguments: given } = isObject(called) ? called : {};
    let call = callOf(calls, { index, id }, textOf(name));
    if (call === undefined) {
      if (calls.length >= ANSWER_LIMITS.calls) throw flood();
      call = { index, id: '', name: '', arguments: '', beside: {} };
      calls.push(call);
    }
    call.id ||= textOf(id);
    call.name ||= textOf(name);
    call.arguments += isObject(given) ? JSON.stringify(given) : textOf(given);
    Object.assign(call.beside, beside);
    const chars = calls.reduce((sum, one) => sum + one.arguments.length, 0);
    if (chars > ANSWER_LIMITS.callChars) throw flood();
  }
}

/** Gathers what a chunk of an answer has. @throws ModelError when a step has more calls than it may have */
export function gather(into: Gathered, delta: Json): void {
  gatherFields(into, delta);
  gatherText(into, delta.content);
  gatherCalls(into, delta.tool_calls);
}
