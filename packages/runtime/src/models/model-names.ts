import { createHash } from 'node:crypto';
import type { InstalledApp } from '../library/installed-app.ts';

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

/** What the name of a tool is made of. */
export type NamedApp = Pick<InstalledApp, 'appId' | 'source'> & { manifest: { name: string } };

/**
 * The first part of the names of an app's tools: the id of the app with `_` for `.`, and the name of a connector, whose id no user can
 * read. Names of connectors have no `_` and ids of store apps always have one, so a connector never imitates an app.
 */
export function modelHead({ appId, source, manifest }: NamedApp): string {
  if (source.kind !== 'connector') return appId.replaceAll('.', '_');
  const name = manifest.name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return name === '' ? appId.replaceAll('.', '-') : name;
}

/** The start of a name with a hash. */
const hashedHead = (app: NamedApp): string => `${readable(modelHead(app).toLowerCase(), HEAD)}_H`;

/**
 * Returns the name of a tool for models and coding agents: `com_example_notes__create`, or `mcp-example-com__create` for a connector. It
 * depends only on the app and the tool, so other apps cannot change it. App ids contain neither `_` nor capitals, so the text before the
 * first `__` identifies the app. A name that would be too long, or contains characters that providers refuse, gets a hash after a
 * capital H instead.
 */
export function modelName(app: NamedApp, tool: string): string {
  const plain = `${modelHead(app)}${BETWEEN}${tool}`;
  const isPlain = app.source.kind === 'connector' || PLAIN_ID.test(app.appId);
  if (plain.length <= MAX_NAME && isPlain && PLAIN_TOOL.test(tool)) return plain;
  return `${hashedHead(app)}${hashOf(app.appId, tool)}${BETWEEN}${readable(tool, TAIL)}`;
}

/** Whether a name can be that of a tool of this app, whatever tools the app has. */
export const mayBeModelNameOf = (name: string, app: NamedApp): boolean =>
  name.startsWith(`${modelHead(app)}${BETWEEN}`) || name.startsWith(hashedHead(app));
