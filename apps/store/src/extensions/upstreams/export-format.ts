import { LIMITS, Manifest, Sha256, Timestamp } from '@svc/contracts';
import { cleanLine } from '@svc/text';
import { z } from 'zod';
import { ApiError } from '../../platform/api-error.ts';

// An export is a plain tar (POSIX ustar) with these files in this order: `export.json`, `SHA256SUMS`, `apps.txt`, `store.json`, and for each app
// `apps/ID.json`, followed by `bundles/SHA256.zip` where that bundle is in it. `SHA256SUMS` has the hash of each file after it, and is signed.

const MIB = 1024 * 1024;

/** The signed name of the list of files, with the keys of the store that made the export. */
export const ROOT = 'export.json';

/** The list of files, in the form of `sha256sum`. */
export const SUMS = 'SHA256SUMS';

/** The bundles that a store has after the import. */
export const HELD = 'apps.txt';

/** What is about no app: the keys and the revocation list. */
export const ABOUT = 'store.json';

export const appPath = (appId: string): string => `apps/${appId}.json`;
export const bundlePath = (sha256: string): string => `bundles/${sha256}.zip`;

/** Bytes of each file at most. An answer of a store has 16 MiB, and twice that as a text in JSON. */
export const MAX_BYTES = { [ROOT]: MIB, [SUMS]: 32 * MIB, [HELD]: 32 * MIB, json: 33 * MIB } as const;

export const maxBytesOf = (name: string): number =>
  name.endsWith('.zip') ? LIMITS.bundle.bytes : name === HELD ? MAX_BYTES[HELD] : MAX_BYTES.json;

/** An answer of a store: a text, or the bundle with that hash. */
const ExportAnswer = z.object({
  status: z.int().min(200).max(599),
  headers: z.record(z.string(), z.string()),
  body: z.union([z.object({ text: z.string() }), z.object({ bundle: Sha256 })]),
});
export type ExportAnswer = z.infer<typeof ExportAnswer>;

/** Answers by path and query. */
const Answers = z.record(z.string(), ExportAnswer);
export type Answers = z.infer<typeof Answers>;

/** The content of `store.json`. */
export const About = z.object({
  store: z.string().describe('Address of the store whose apps these are.'),
  since: Timestamp.nullable().describe('The export before, whose bundles are not in this one.'),
  answers: Answers,
});
export type About = z.infer<typeof About>;

/** The content of a file about an app. */
export const ExportedApp = z.object({ answers: Answers });

/** A refusal for the operator. */
export const refuseExport = (message: string): ApiError => new ApiError('invalid_request', message);

export const damaged = (what: string): ApiError =>
  refuseExport(`The export is damaged: ${cleanLine(what, 200)}. Copy it again.`);

/** Bytes of a header of a tar, and the unit of its files. */
export const BLOCK = 512;

/** The end of a tar: two blocks of zeros. */
export const END_BYTES = 2 * BLOCK;

export const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;

/**
 * The header of a regular file in a tar (POSIX.1-1988, ustar). There is one header for a file: a reader compares it, and interprets nothing else.
 * @param size in bytes, below 8 GiB
 * @param at when the export began, ISO 8601 in UTC
 */
export function tarHeader(name: string, size: number, at: string): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100, 'ascii');
  header.write(octal(0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(size, 11), 124);
  header.write(octal(Math.floor(Date.parse(at) / 1000), 11), 136);
  header.write('        0', 148);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)} `, 148);
  return header;
}

/** The size that a header says; null when it is none. */
export function sizeIn(header: Buffer): number | null {
  const text = header.toString('latin1', 124, 136);
  return /^[0-7]{11}\0$/.test(text) ? Number.parseInt(text, 8) : null;
}

/** A line of the list of files. */
export type Sum = { sha256: string; name: string };

/** A line in the form of `sha256sum`. */
export const sumLine = ({ sha256, name }: Sum): string => `${sha256}  ${name}\n`;

/** The lines of a text, without a copy of the whole. */
function* linesOf(bytes: Buffer): Generator<string> {
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(10, at);
    if (end < 0) throw damaged('a list ends in the middle of a line');
    yield bytes.toString('latin1', at, end);
    at = end + 1;
  }
}

const isAppId = (appId: string): boolean => Manifest.shape.id.safeParse(appId).success;

/** The only names that may follow others: no path of an export leads out of its folder, and none comes twice. */
function isInOrder(
  name: string,
  { sha256, before, app }: { sha256: string; before: string; app: string },
): boolean {
  if (before === '') return name === HELD;
  if (before === HELD) return name === ABOUT;
  if (name === bundlePath(sha256)) return before.startsWith('apps/');
  const appId = /^apps\/(.*)\.json$/.exec(name)?.[1];
  return appId !== undefined && isAppId(appId) && appId > app;
}

/** The list of files. @throws ApiError when it is none, also for a name that an export does not have, or an order that it does not have */
export function* sumsIn(bytes: Buffer): Generator<Sum> {
  let before = '';
  let app = '';
  for (const line of linesOf(bytes)) {
    const [, sha256 = '', name = ''] = /^([0-9a-f]{64}) {2}([\w./-]{1,100})$/.exec(line) ?? [];
    if (!isInOrder(name, { sha256, before, app })) throw damaged(`${SUMS} has the line ${line.slice(64)}`);
    yield { sha256, name };
    before = name;
    if (name.startsWith('apps/')) app = name.slice('apps/'.length, -'.json'.length);
  }
  if (before === '' || before === HELD) throw damaged(`${SUMS} ends too early`);
}

/** In place of the hash of a bundle, for an app without one that could be carried. */
export const NO_BUNDLE = '-'.repeat(64);

/** The bundles that a store has. */
export type HeldBundles = {
  store: string;
  /** When the export began after which it has them; null before the first. */
  at: string | null;
  /** SHA-256 by app id. */
  bundles: ReadonlyMap<string, string>;
};

export const heldText = ({ store, at, bundles }: HeldBundles): string =>
  [`# ${store} ${at ?? '-'}\n`, ...[...bundles].map(([appId, sha256]) => `${sha256}  ${appId}\n`)].join('');

/** Reads the list of bundles that a store has: `apps.txt`. @throws ApiError */
export function heldIn(bytes: Buffer): HeldBundles {
  let head: RegExpExecArray | null = null;
  const bundles = new Map<string, string>();
  for (const line of linesOf(bytes)) {
    if (!head) {
      head = /^# (\S+) (\S+)$/.exec(line);
      if (!head) break;
      continue;
    }
    const [, sha256 = '', appId = ''] = /^([0-9a-f]{64}|-{64}) {2}(\S+)$/.exec(line) ?? [];
    if (!isAppId(appId)) throw damaged(`${HELD} has the line ${line}`);
    bundles.set(appId, sha256);
  }
  if (!head) throw refuseExport('--since names neither an export nor a list of the apps of a store.');
  const at = Timestamp.safeParse(head[2]);
  return { store: head[1] as string, at: at.success ? at.data : null, bundles };
}
