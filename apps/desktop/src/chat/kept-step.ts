import { createHash } from 'node:crypto';
import type { ModelMessage } from 'ai';
import type { Gathered } from './gathered.ts';
import type { ModelServer } from './model-protocol.ts';

type Json = Record<string, unknown>;
type Assistant = Extract<ModelMessage, { role: 'assistant' }>;
export type ProviderOptions = NonNullable<Assistant['providerOptions']>;

/** A block of an answer in a protocol of its own, in its order. A call is named by its place among the calls of the step. */
export type Block =
  | { type: 'text' | 'reasoning'; text: string; options?: ProviderOptions }
  | { type: 'call'; at: number; options?: ProviderOptions };

/**
 * What a provider wants back with a step of an answer, as it came: signatures, what the model thought, ids of calls. It is stored with the
 * message, sent to the same model only, and never shown or exported.
 */
export type Kept = {
  calls: readonly { id: string | null; beside?: Json }[];
  /** Fields of the message, of an OpenAI-compatible provider. */
  fields?: Json;
  /** All that came, of a provider with a protocol of its own. */
  blocks?: readonly Block[];
};

/** The steps of an answer that a model wants back, and which model that is. */
export type KeptAnswer = { by: string; steps: Readonly<Record<number, Kept>> };

/** Largest `Kept`, in characters of JSON. The step is sent as it is shown where there is more. */
const MAX_KEPT = 4 * 1024 * 1024;
const MAX_ID = 200;

/** Ids of calls where each has one of its own. */
function ownIds(ids: readonly string[]): (string | null)[] {
  return ids.map((id, at) => (id === '' || id.length > MAX_ID || ids.indexOf(id) !== at ? null : id));
}

/** What the model thought where it came within the text: in tags, or as parts. A step without calls needs none of it. */
function textFields({ raw, parts, calls, fields }: Gathered): Json {
  if (calls.length === 0 || 'content' in fields) return {};
  if (parts.some(({ type }) => type === 'thinking')) return { content: parts };
  return raw.trimStart().startsWith('<think>') ? { content: raw } : {};
}

const bounded = (kept: Kept): Kept | null =>
  (kept.calls.length > 0 || kept.fields || kept.blocks) && JSON.stringify(kept).length <= MAX_KEPT
    ? kept
    : null;

/** What an OpenAI-compatible provider wants back of a step. */
export function keptOf(step: Gathered): Kept | null {
  const ids = ownIds(step.calls.map(({ id }) => id));
  const calls = step.calls.map(({ beside }, at) => ({
    id: ids[at] ?? null,
    ...(Object.keys(beside).length > 0 && { beside }),
  }));
  const fields = { ...step.fields, ...textFields(step) };
  return bounded({ calls, ...(Object.keys(fields).length > 0 && { fields }) });
}

/** What a part of a stream of the AI SDK has of a block. */
type Piece = { type: string; id?: string; text?: string; toolCallId?: string; providerMetadata?: unknown };

/** Collects what a provider with a protocol of its own sends. */
export function collectBlocks() {
  const blocks: Block[] = [];
  const open = new Map<string, Block>();
  const ids: string[] = [];
  const addTo = (block: Block, { text = '', providerMetadata }: Piece) => {
    if (block.type !== 'call') block.text += text;
    if (providerMetadata) block.options = merged(block.options, providerMetadata as ProviderOptions);
  };
  return {
    add(piece: Piece): void {
      const [, type, event] = /^(text|reasoning)-(start|delta|end)$/.exec(piece.type) ?? [];
      if (type === 'text' || type === 'reasoning') {
        const key = `${type} ${piece.id}`;
        let block = event === 'start' ? undefined : open.get(key);
        if (!block) {
          block = { type, text: '' };
          blocks.push(block);
          open.set(key, block);
        }
        addTo(block, piece);
      } else if (piece.type === 'tool-call') {
        const block: Block = { type: 'call', at: ids.length };
        addTo(block, { ...piece, text: '' });
        ids.push(piece.toolCallId ?? '');
        blocks.push(block);
      }
    },
    kept(): Kept | null {
      const isPlain = blocks.every(({ type, options }) => type === 'text' && !options);
      return isPlain ? null : bounded({ calls: ownIds(ids).map((id) => ({ id })), blocks });
    },
  };
}

function merged(before: ProviderOptions | undefined, next: ProviderOptions): ProviderOptions {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(next)]);
  return Object.fromEntries([...names].map((name) => [name, { ...before?.[name], ...next[name] }]));
}

/** An id of a call that every provider takes: Mistral only takes 9 letters and digits. */
export const plainId = (id: string): string =>
  BigInt(`0x${createHash('sha256').update(id).digest('hex')}`)
    .toString(36)
    .slice(0, 9);

/** Which model wants back what it sent: nothing of it goes to another. */
export const keeperOf = ({ baseUrl, protocol = 'openai' }: ModelServer, model: string): string =>
  JSON.stringify([baseUrl, protocol, model]);

/** Adds a step to what a model wants back of an answer. */
export const withStep = (before: KeptAnswer | null, by: string, step: number, kept: Kept): KeptAnswer => ({
  by,
  steps: { ...(before?.by === by && before.steps), [step]: kept },
});

/** What a model wants back of the first steps of an answer. */
export const firstSteps = ({ by, steps }: KeptAnswer, last: number): KeptAnswer => ({
  by,
  steps: Object.fromEntries(Object.entries(steps).filter(([step]) => Number(step) <= last)),
});
