import { createHash } from 'node:crypto';

/** Maximum length of a tool name that all model providers accept, of letters, digits, `_` and `-`. */
const MAX_NAME = 64;
const BETWEEN = '__';

const PLAIN_ID = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;
const PLAIN_TOOL = /^[A-Za-z0-9_-]+$/;

/** Length of each readable part of a name with a hash. */
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

/** The start of a name with a hash. */
const hashedHead = (appId: string): string => `${readable(appId.toLowerCase(), HEAD)}_H`;

/**
 * Returns the name of a tool for models and coding agents: `com_example_notes__create`. It depends only on the ids of the app and
 * the tool, so other apps cannot change it. App ids contain neither `_` nor capitals, so the text before the first `__` identifies the app.
 * A name that would be too long, or contains characters that providers refuse, gets a hash after a capital H instead.
 */
export function modelName(appId: string, tool: string): string {
  const plain = `${appId.replaceAll('.', '_')}${BETWEEN}${tool}`;
  if (plain.length <= MAX_NAME && PLAIN_ID.test(appId) && PLAIN_TOOL.test(tool)) return plain;
  return `${hashedHead(appId)}${hashOf(appId, tool)}${BETWEEN}${readable(tool, TAIL)}`;
}

/** Whether a name can be that of a tool of this app, whatever tools the app has. */
export const mayBeModelNameOf = (name: string, appId: string): boolean =>
  name.startsWith(`${appId.replaceAll('.', '_')}${BETWEEN}`) || name.startsWith(hashedHead(appId));
