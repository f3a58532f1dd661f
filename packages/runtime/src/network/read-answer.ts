import type { z } from 'zod';
import { RuntimeError } from '../platform/runtime-error.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * The largest answer of each kind of peer, in bytes, and the longest time for one, in milliseconds. The server of an app has the bounds of its
 * guarded fetch, and the provider of a model those of a stream.
 */
export const ANSWERS = {
  store: { maxBytes: 16 * MIB, ms: 30_000 },
  /** The relay of a store: twice the longest code. */
  relay: { maxBytes: 16 * KIB, ms: 15_000 },
  /** A device sign-in at a store. */
  deviceSignIn: { maxBytes: 64 * KIB, ms: 15_000 },
  authorizationServer: { maxBytes: MIB, ms: 30_000 },
  /** The list of models of a provider. */
  models: { maxBytes: 4 * MIB, ms: 10_000 },
} as const;

/** Deepest JSON of a peer, in levels: code that walks deeper values would exhaust the stack. */
const MAX_DEPTH = 256;

/**
 * Reads all bytes of a body, and stops as soon as they exceed a limit, whatever its headers say.
 * @param tooLarge makes the error of a larger one. Default: RuntimeError `too-large`
 * @param onPiece called with each piece as it arrives
 */
export async function bytesOf(
  response: Response,
  maxBytes: number,
  tooLarge: () => Error = () => new RuntimeError('too-large', `The answer has more than ${maxBytes} bytes.`),
  onPiece?: (piece: Uint8Array) => void,
): Promise<Buffer<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the stream, which closes the connection.
  for await (const piece of response.body ?? []) {
    bytes += piece.byteLength;
    if (bytes > maxBytes) throw tooLarge();
    pieces.push(piece);
    onPiece?.(piece);
  }
  return Buffer.concat(pieces);
}

/** The end of a text in JSON. @param at its first character */
function endOfText(json: string, at: number): number {
  let end = at;
  while (end < json.length && json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
  return end;
}

/** Whether JSON has more levels than code may walk. Of any other text the answer means nothing. */
export function isTooDeep(json: string): boolean {
  // A text of this length cannot be deeper.
  if (json.length <= MAX_DEPTH) return false;
  let depth = 0;
  for (let at = 0; at < json.length && depth <= MAX_DEPTH; at += 1) {
    const character = json[at];
    if (character === '"') at = endOfText(json, at + 1);
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
  }
  return depth > MAX_DEPTH;
}

/** Parses JSON of a peer. @throws SyntaxError, also for JSON that is too deep */
export function parseAnswer(text: string): unknown {
  if (isTooDeep(text)) throw new SyntaxError('The JSON is nested too deeply.');
  return JSON.parse(text);
}

/**
 * Reads an answer in JSON: bounded in bytes and depth, and of a schema.
 * @throws RuntimeError `too-large`; SyntaxError; ZodError
 */
export async function jsonOf<T>(response: Response, maxBytes: number, schema: z.ZodType<T>): Promise<T> {
  return schema.parse(parseAnswer((await bytesOf(response, maxBytes)).toString()));
}
