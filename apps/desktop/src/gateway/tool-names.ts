import { createHash } from 'node:crypto';

/** Longest name that all agents take, of letters, digits, `_` and `-`. */
const MOST = 64;
const BETWEEN = '__';

const PLAIN_ID = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;
const PLAIN_TOOL = /^[A-Za-z0-9_-]+$/;

/** Room for the readable parts of a name that has a mark. */
const HEAD = 24;
const MARK = 14;
const TAIL = MOST - HEAD - '_H'.length - MARK - BETWEEN.length;

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** 70 bits of a hash, in letters and digits. */
const markOf = (appId: string, tool: string): string =>
  [...createHash('sha256').update(`${appId}\0${tool}`).digest().subarray(0, MARK)]
    .map((byte) => ALPHABET[byte % ALPHABET.length])
    .join('');

const readable = (text: string, most: number): string =>
  text
    .replaceAll(/[^a-zA-Z0-9-]+/g, '_')
    .slice(0, most)
    .replaceAll(/^_|_$/g, '');

/** What a name with a mark begins with. */
const markedHead = (appId: string): string => `${readable(appId.toLowerCase(), HEAD)}_H`;

/**
 * The name under which agents know a tool: `com_example_notes__create`. It follows from the app's id and the tool's alone, so
 * that no other app changes it. An id has neither `_` nor capitals, so what stands before the first `__` gives back the id; a
 * name that would be too long, or holds what agents do not take, has a mark of its own behind a capital H instead.
 */
export function toolName(appId: string, tool: string): string {
  const plain = `${appId.replaceAll('.', '_')}${BETWEEN}${tool}`;
  if (plain.length <= MOST && PLAIN_ID.test(appId) && PLAIN_TOOL.test(tool)) return plain;
  return `${markedHead(appId)}${markOf(appId, tool)}${BETWEEN}${readable(tool, TAIL)}`;
}

/** Whether a name may be that of a tool of this app, whatever tools it has. */
export const mayBeOf = (name: string, appId: string): boolean =>
  name.startsWith(`${appId.replaceAll('.', '_')}${BETWEEN}`) || name.startsWith(markedHead(appId));
