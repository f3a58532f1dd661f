import { createHash } from 'node:crypto';

/** Longest name of a tool that all model providers take, of letters, digits, `_` and `-`. */
const MAX_NAME = 64;
const BETWEEN = '__';

const PLAIN_ID = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;
const PLAIN_TOOL = /^[A-Za-z0-9_-]+$/;

/** Room for the readable parts of a name that has a hash. */
const HEAD = 24;
const HASH = 14;
const TAIL = MAX_NAME - HEAD - '_H'.length - HASH - BETWEEN.length;

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** 70 bits of a hash, in letters and digits. */
const hashOf = (appId: string, tool: string): string =>
  [...createHash('sha256').update(`${appId}\0${tool}`).digest().subarray(0, HASH)]
    .map((byte) => ALPHABET[byte % ALPHABET.length])
    .join('');

const readable = (text: string, max: number): string =>
  text
    .replaceAll(/[^a-zA-Z0-9-]+/g, '_')
    .slice(0, max)
    .replaceAll(/^_|_$/g, '');

/** What a name with a hash begins with. */
const hashedHead = (appId: string): string => `${readable(appId.toLowerCase(), HEAD)}_H`;

/**
 * The name under which models and coding agents know a tool: `com_example_notes__create`. It follows from the ids of app and tool
 * alone, so that no other app changes it. An id has neither `_` nor capitals, so what stands before the first `__` gives back the id;
 * a name that would be too long, or holds what providers refuse, has a hash behind a capital H instead.
 */
export function modelName(appId: string, tool: string): string {
  const plain = `${appId.replaceAll('.', '_')}${BETWEEN}${tool}`;
  if (plain.length <= MAX_NAME && PLAIN_ID.test(appId) && PLAIN_TOOL.test(tool)) return plain;
  return `${hashedHead(appId)}${hashOf(appId, tool)}${BETWEEN}${readable(tool, TAIL)}`;
}

/** Whether a name may be that of a tool of this app, whatever tools it has. */
export const mayBeModelNameOf = (name: string, appId: string): boolean =>
  name.startsWith(`${appId.replaceAll('.', '_')}${BETWEEN}`) || name.startsWith(hashedHead(appId));
