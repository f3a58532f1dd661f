import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** What a reader finds in an archive: the sha256 of each file by its name; or why it finds nothing, as `error`. */
type Contents = { files: Map<string, string> } | { error: string };

/** Another reader: looks at the archive as a file on disk. */
type Reader = { name: string; read: (file: string) => Contents };

/** Longest that another reader may take over one archive. */
const TIMEOUT_MS = 60_000;

const PYTHON = `
import hashlib, json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    files = [[i.filename, hashlib.sha256(z.read(i)).hexdigest()] for i in z.infolist() if not i.is_dir()]
json.dump(files, sys.stdout)
`;

/** Writes what the archive holds as an mtree(5) list with a digest of each file. */
const MTREE = ['-c', '-f', '-', '--format=mtree', '--options=!all,type,sha256'];

/** The readers that every accepted archive is shown to. */
const OTHER_READERS: readonly Reader[] = [
  { name: 'Python zipfile', read: (file) => run('python3', ['-c', PYTHON, file], parsePython) },
  { name: 'bsdtar', read: (file) => run('bsdtar', [...MTREE, `@${file}`], parseMtree) },
  { name: 'bsdtar, streaming', read: readAsStream },
];

/**
 * libarchive reads from the front what it cannot seek in. It must extract for that: as it learns sizes late, its lists
 * lack the content of entries with a data descriptor. What our reader accepts has no names or links that escape.
 */
function readAsStream(file: string): Contents {
  const folder = `${file}.d`;
  mkdirSync(folder);
  try {
    const script = 'cat "$1" | bsdtar -x -f - -C "$2"';
    return run('sh', ['-c', script, 'sh', file, folder], () => hashesBelow(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function hashesBelow(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((path) => [relative(folder, path), sha256(readFileSync(path))]));
}

/** The sha256 of bytes, in hex. */
export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Shows an archive to every other reader; gives those that see anything else than `files`, and what they say. */
export function dissenters(files: Map<string, string>, bytes: Uint8Array, scratch: string): string[] {
  writeFileSync(scratch, bytes);
  return OTHER_READERS.flatMap(({ name, read }) => {
    const contents = read(scratch);
    if ('error' in contents) return [`${name}: ${contents.error}`];
    const difference = firstDifference(files, contents.files);
    return difference === undefined ? [] : [`${name}: ${difference}`];
  });
}

function firstDifference(ours: Map<string, string>, theirs: Map<string, string>): string | undefined {
  const names = new Set([...ours.keys(), ...theirs.keys()]);
  const name = [...names].find((each) => ours.get(each) !== theirs.get(each));
  if (name === undefined) return undefined;
  const [here, there] = [ours.get(name), theirs.get(name)].map((hash) => hash?.slice(0, 8) ?? 'nothing');
  return `${JSON.stringify(name)} is ${here} to us and ${there} to it`;
}

function run(program: string, args: string[], parse: (output: string) => Map<string, string>): Contents {
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    env,
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    maxBuffer: 2 ** 28,
  });
  if (error || status !== 0)
    return { error: error?.message ?? (stderr.trim().split('\n').at(-1) || `exit ${status}`) };
  return { files: parse(stdout) };
}

function parsePython(output: string): Map<string, string> {
  return new Map(JSON.parse(output) as [string, string][]);
}

/** A line is a name and `key=value` words; names escape what is not plain ASCII as three octal digits. */
function parseMtree(output: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const line of output.split('\n')) {
    const [name = '', ...words] = line.split(' ');
    if (words.includes('type=dir') || !words.includes('type=file')) continue;
    const digest = words.find((word) => word.startsWith('sha256digest='))?.slice('sha256digest='.length);
    files.set(withoutEscapes(name).replace(/^\.\//, ''), digest ?? sha256(new Uint8Array()));
  }
  return files;
}

function withoutEscapes(name: string): string {
  const latin1 = name.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return Buffer.from(latin1, 'latin1').toString('utf8');
}
