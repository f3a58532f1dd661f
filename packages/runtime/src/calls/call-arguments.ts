import type { Tool } from '@svc/contracts';
import { isObject } from '@svc/contracts/is-object';
import { remoteNameOf } from '@svc/contracts/vocabulary';
import { canonicalJson, type JsonValue } from '@svc/signing';
import { quoteText } from '@svc/text';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { KnownListing } from './known-tools.ts';
import type { AppTool } from './list-tools.ts';
import type { CallResult } from './read-result.ts';

/** Maximum size of the arguments without files, in bytes of canonical JSON. */
const MAX_BYTES = 1024 * 1024;

/**
 * Copies arguments as plain JSON, so that the sent arguments are those that the user approved.
 * @throws RuntimeError `invalid-arguments`, `too-large`
 */
export function plainArguments(given: Readonly<Record<string, unknown>>): { [key: string]: JsonValue } {
  let bytes: Uint8Array;
  try {
    bytes = canonicalJson(given as { [key: string]: JsonValue });
  } catch {
    throw new RuntimeError('invalid-arguments');
  }
  if (bytes.byteLength > MAX_BYTES) throw new RuntimeError('too-large', 'The arguments are too large.');
  return JSON.parse(Buffer.from(bytes).toString());
}

/** Characters of an answer that are searched, and most names that are said. */
const MAX_SEARCHED = 16 * 1024;
const MAX_NAMES = 5;

/** A quoted name beside a word for an argument, in either order. */
const NAMED =
  /\b(?:argument|parameter|property|field|param|input)s?:? ["'`]([A-Za-z_][\w-]{0,63})["'`]|["'`]([A-Za-z_][\w-]{0,63})["'`] (?:argument|parameter|property|field|param|input)\b/gi;

/** The names in a text that a tool has no argument of. */
function unknownIn(text: string, { inputSchema, files }: AppTool, newParams: readonly string[]): string[] {
  const searched = text.slice(0, MAX_SEARCHED);
  const words = new Set(searched.split(/[^\w-]+/));
  const named = Array.from(searched.matchAll(NAMED), ([, after, before]) => after ?? before ?? '');
  const properties = isObject(inputSchema.properties) ? inputSchema.properties : null;
  // A schema without properties takes any argument.
  const known = (name: string) =>
    properties === null || Object.hasOwn(properties, name) || Object.hasOwn(files, name);
  const names = [...newParams.filter((name) => words.has(name)), ...named.filter((name) => !known(name))];
  return [...new Set(names)].slice(0, MAX_NAMES);
}

const noteOf = (names: readonly string[]): string =>
  `The app’s server names ${names.map((name) => quoteText(name, 64)).join(', ')}, which the accepted description of this tool does not have. It may have changed the tool: the user can look at the changes under Apps.`;

/** The handlers of a call's outcome: both say which arguments the answer names that the accepted description of the tool does not have. */
export function noteUnknownArguments(
  tool: Pick<Tool, 'id' | 'remoteName'>,
  known: () => KnownListing,
): [(result: CallResult) => CallResult, (error: unknown) => never] {
  function noteFor(text: string): string | null {
    const { tools, pinned } = known();
    const pin = tools.find(({ id }) => id === tool.id);
    const names = pin && pinned ? unknownIn(text, pin, pinned.newParams(remoteNameOf(tool))) : [];
    return names.length === 0 ? null : noteOf(names);
  }
  return [
    (result) => {
      const texts = result.parts.map((part) => (part.type === 'text' ? part.text : ''));
      const note = noteFor([...texts, result.structured ? JSON.stringify(result.structured) : ''].join('\n'));
      return note === null
        ? result
        : { ...result, parts: [...result.parts, { type: 'text', text: `[${note}]` }] };
    },
    (error) => {
      if (!(error instanceof RuntimeError) || error.code !== 'server-failed') throw error;
      const note = noteFor(error.message);
      throw note === null
        ? error
        : new RuntimeError('server-failed', `${error.message} ${note}`, { detail: error.detail });
    },
  ];
}
