import { createHash } from 'node:crypto';
import path from 'node:path';
import { type FileRule, LIMITS, type MediaRequest, type Tool } from '@svc/contracts';
import { RuntimeError } from '../platform/runtime-error.ts';
import { accepts, fileTypeOf, onlyType } from './file-type.ts';
import type { FileCaution, HandedFile, ReadyFile } from './handed-file.ts';
import { nameFor, safeName } from './safe-name.ts';

const SECRET_NAME =
  /^id_(?:rsa|dsa|ecdsa|ed25519)|\.(?:pem|key|p8|p12|pfx|jks|keystore|kdbx?|ppk|gpg|pgp|asc|ovpn|age|env|tfstate|tfvars)(?:\.|$)|^(?:authorized_keys|known_hosts|shadow|gshadow|htpasswd|wallet\.dat|logins\.json|key4\.db)$|credential|secret|password|passwd|service[-_]?account/i;

/** Beginnings and marks of keys: PEM (RFC 7468), OpenSSH, PuTTY, OpenPGP (RFC 9580), age, cloud providers. */
const SECRET_MARKS = [
  'PRIVATE KEY-----',
  'PRIVATE KEY BLOCK-----',
  'openssh-key-v1',
  'PuTTY-User-Key-File',
  'AGE-SECRET-KEY-1',
  '"private_key"',
  'aws_secret_access_key',
  '\u0003\u00d9\u00a2\u009a',
];

/** How much of a file is searched, in bytes. */
const SEARCHED = 1024 * 1024;

const holdsSecret = (bytes: Uint8Array): boolean => {
  const searched = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, SEARCHED));
  const isWide = searched[1] === 0 || (searched[0] === 0xff && searched[1] === 0xfe);
  return SECRET_MARKS.some(
    (mark) =>
      searched.includes(Buffer.from(mark, 'latin1')) ||
      (isWide && searched.includes(Buffer.from(mark, 'utf16le'))),
  );
};

function namesOf({ origin }: HandedFile): { names: string[]; isOutside: boolean } {
  if (!origin) return { names: [], isOutside: false };
  const within = origin.project === null ? null : path.relative(origin.project, origin.path);
  const isOutside = within === null || path.isAbsolute(within) || within.split(path.sep)[0] === '..';
  return { names: (isOutside ? origin.path : (within ?? '')).split(path.sep), isOutside };
}

/** Whether a file needs the user's decision each time, and why. */
export function cautionOf(file: HandedFile): FileCaution | null {
  const { names, isOutside } = namesOf(file);
  const all = [...names, file.name.split(/[\\/]/).at(-1) ?? ''];
  if (all.some((name) => SECRET_NAME.test(name)) || holdsSecret(file.bytes)) return 'secret';
  if (all.some((name) => name.startsWith('.'))) return 'hidden';
  return isOutside ? 'outside' : null;
}

/** Maximum files of one argument, and maximum bytes of all files of a call. */
const MAX_FILES = 20;
const MAX_BYTES = 64 * 1024 * 1024;
/** Maximum size of a file before it is prepared, in bytes: a photo or a short video from a camera. */
const MAX_UNPREPARED = 256 * 1024 * 1024;

/** Runs a media operation on a file. */
export type Prepare = (
  file: { bytes: Uint8Array; type: string },
  request: MediaRequest,
  signal: AbortSignal,
) => Promise<{ bytes: Uint8Array; type: string }>;

type Deps = { grants: readonly string[]; prepare: Prepare; signal: AbortSignal };

const refusal = (message: string): RuntimeError => new RuntimeError('file-refused', message);

const notAccepted = (param: string, type: string): RuntimeError =>
  refusal(`${param}: files of type ${type} are not accepted.`);

function requireCount(param: string, rule: FileRule, files: readonly HandedFile[]): void {
  const most = rule.multiple ? MAX_FILES : 1;
  if (files.length === 0 || files.length > most) {
    throw refusal(`The argument ${param} takes ${most === 1 ? 'one file' : `up to ${most} files`}.`);
  }
}

async function prepareFile(param: string, rule: FileRule, file: HandedFile, deps: Deps): Promise<ReadyFile> {
  const given = await fileTypeOf(file.bytes, file.name);
  if (!accepts(rule.accept, given) && !rule.prepare) throw notAccepted(param, given.type);
  // A copy: the caller could change the bytes while the user reviews what is to be sent.
  const prepared = rule.prepare
    ? await deps.prepare({ bytes: file.bytes, type: given.type }, rule.prepare, deps.signal)
    : { bytes: new Uint8Array(file.bytes), type: given.type };
  if (rule.prepare && !accepts(rule.accept, onlyType(prepared.type))) throw notAccepted(param, prepared.type);
  const most = rule.maxBytes ?? LIMITS.file.defaultBytes;
  if (prepared.bytes.byteLength > most) {
    throw new RuntimeError('too-large', `${param}: a file may have ${most} bytes.`);
  }
  return {
    param,
    caution: cautionOf(file),
    name: rule.prepare ? nameFor(file.name, prepared.type) : safeName(file.name),
    type: prepared.type,
    bytes: prepared.bytes,
    sha256: createHash('sha256').update(prepared.bytes).digest('hex'),
    ...(rule.prepare && {
      was: { name: safeName(file.name), type: given.type, bytes: file.bytes.byteLength },
    }),
  };
}

/** Runs the checks of an argument that need no work on its files, and returns its rule. */
function requireFileRule(
  tool: Tool,
  param: string,
  files: readonly HandedFile[],
  { grants }: Deps,
): FileRule {
  const rule = Object.hasOwn(tool.files ?? {}, param) ? tool.files?.[param] : undefined;
  if (!rule) throw refusal(`The tool takes no files as ${param}.`);
  if (!grants.includes('files:receive')) throw refusal('The app may not receive files.');
  if (rule.prepare && !grants.includes('host:media')) throw refusal('The app may not use media conversion.');
  requireCount(param, rule, files);
  const most = rule.prepare ? MAX_UNPREPARED : (rule.maxBytes ?? LIMITS.file.defaultBytes);
  if (files.some(({ bytes }) => bytes.byteLength > most)) {
    throw new RuntimeError('too-large', `${param}: a file may have ${most} bytes.`);
  }
  return rule;
}

/**
 * Prepares files for a tool, and checks their number, their types by content, and their sizes after preparation against the rules
 * of the tool.
 * @param files by argument
 * @throws RuntimeError `file-refused`, `too-large`, `media-failed`
 */
export async function readyFiles(
  tool: Tool,
  files: Readonly<Record<string, readonly HandedFile[]>>,
  deps: Deps,
): Promise<ReadyFile[]> {
  const checked = Object.entries(files).map(([param, handed]) => ({
    param,
    handed,
    rule: requireFileRule(tool, param, handed, deps),
  }));
  const ready: ReadyFile[] = [];
  let bytes = 0;
  for (const { param, handed, rule } of checked) {
    for (const file of handed) {
      const readyFile = await prepareFile(param, rule, file, deps);
      bytes += readyFile.bytes.byteLength;
      if (bytes > MAX_BYTES)
        throw new RuntimeError(
          'too-large',
          `The files of a call may have at most ${MAX_BYTES} bytes in total.`,
        );
      ready.push(readyFile);
    }
  }
  return ready;
}

/** A file as an argument: its name, type and bytes in base64 (RFC 4648 section 4). */
const argumentOf = ({ name, type, bytes }: ReadyFile) => ({
  name,
  mimeType: type,
  data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
});

/** Adds the files to the arguments of a call: an object for a single file, a list where the rule accepts several. */
export function withFiles(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  files: readonly ReadyFile[],
): Record<string, unknown> {
  const byParam = Map.groupBy(files, ({ param }) => param);
  const values = [...byParam].map(([param, ready]): [string, unknown] => {
    const values = ready.map(argumentOf);
    return [param, tool.files?.[param]?.multiple ? values : values[0]];
  });
  return { ...args, ...Object.fromEntries(values) };
}
