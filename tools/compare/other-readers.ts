import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The contents of an archive by name: the sha256 of a file, or the type of another entry (link, device). Without folders. */
export type Files = Map<string, string>;

/** What a reader finds in an archive, or its error. */
type Contents = { files: Files } | { error: string };

/** Another reader of zips. */
export type Reader = {
  name: string;
  /** Why it is not available on this machine; undefined when it is. */
  missing: () => string | undefined;
  /** Reads archives on disk; returns the contents of each, in order. */
  read: (paths: readonly string[], scratch: string) => Contents[];
  /** Error messages for archives that it refuses because of a known limitation. */
  declines?: RegExp;
};

/** Timeouts of another reader, for one archive and for a batch. */
const TIMEOUT_MS = 60_000;
const BATCH_TIMEOUT_MS = 600_000;

/** Lists the archive as mtree(5) with a digest of each file. */
const MTREE = ['-c', '-f', '-', '--format=mtree', '--options=!all,type,sha256'];

const sourceOf = (name: string) => fileURLToPath(new URL(`readers/${name}`, import.meta.url));

/** The readers that every accepted archive is compared with. */
export const OTHER_READERS: readonly Reader[] = [
  {
    name: 'Python zipfile',
    missing: needs('python3', '--version'),
    read: (paths) => batch('python3', [sourceOf('read.py')], paths),
  },
  {
    name: 'Go archive/zip',
    missing: needs('go', 'version'),
    read: (paths, scratch) => {
      const program = join(scratch, 'read-go');
      const env = {
        ...ENVIRONMENT,
        GOCACHE: join(scratch, 'go-cache'),
        GOFLAGS: '-mod=mod',
        GO111MODULE: 'off',
      };
      const { status, stderr } = spawnSync('go', ['build', '-o', program, sourceOf('read.go')], { env });
      if (status !== 0) throw new Error(`go build: ${stderr}`);
      return batch(program, [], paths);
    },
  },
  {
    name: 'Java ZipFile',
    missing: needs('javac', '-version'),
    read: (paths) => batch('java', [sourceOf('Read.java')], paths),
  },
  {
    name: 'Java ZipInputStream',
    missing: needs('javac', '-version'),
    read: (paths) => batch('java', [sourceOf('Read.java'), 'stream'], paths),
    // It does not support a stored entry with a data descriptor.
    declines: /only DEFLATED entries can have EXT descriptor/,
  },
  {
    name: 'bsdtar',
    missing: needs('bsdtar', '--version'),
    read: (paths) => paths.map((path) => run('bsdtar', [...MTREE, `@${path}`], parseMtree)),
  },
  // libarchive streams input that is not seekable. It must extract here: its lists lack the content of entries with a data
  // descriptor, as it reads their sizes late.
  {
    name: 'bsdtar, streaming',
    missing: needs('bsdtar', '--version'),
    read: (paths, scratch) =>
      paths.map((path) => extract(scratch, 'sh', ['-c', 'cat "$1" | bsdtar -x -f -', 'sh', path])),
  },
  {
    name: 'Info-ZIP unzip',
    missing: needs('unzip', '-v'),
    read: (paths, scratch) => paths.map((path) => extract(scratch, 'unzip', ['-qq', '-o', path])),
  },
];

const ENVIRONMENT = { ...process.env, LC_ALL: 'C.UTF-8' };

function needs(program: string, flag: string): () => string | undefined {
  return () => (spawnSync(program, [flag]).status === 0 ? undefined : `${program} is not installed`);
}

/** The sha256 of bytes, in hex. */
export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** An archive that our reader accepted, and the contents that it found. */
export type Accepted = { name: string; bytes: Uint8Array; files: Files };

/** Compares accepted archives with another reader; returns a line for each difference. */
export function disagreements(reader: Reader, archives: readonly Accepted[]): string[] {
  const scratch = mkdtempSync(join(tmpdir(), 'svc-compare-'));
  try {
    const paths = archives.map(({ bytes }, index) => {
      const path = join(scratch, `${index}.zip`);
      writeFileSync(path, bytes);
      return path;
    });
    const contents = reader.read(paths, scratch);
    return archives.flatMap(({ name, files }, index) => {
      const why = differenceTo(reader, files, contents[index] ?? { error: 'no output' });
      return why === undefined ? [] : [`${name}: ${reader.name}: ${why}`];
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function differenceTo(reader: Reader, ours: Files, theirs: Contents): string | undefined {
  if ('error' in theirs) return reader.declines?.test(theirs.error) ? undefined : theirs.error;
  const names = new Set([...ours.keys(), ...theirs.files.keys()]);
  const name = [...names].find((entry) => ours.get(entry) !== theirs.files.get(entry));
  if (name === undefined) return undefined;
  const [here, there] = [ours, theirs.files].map((files) => files.get(name)?.slice(0, 8) ?? 'nothing');
  return `${JSON.stringify(name)}: our reader finds ${here}, this one ${there}`;
}

/** Runs a program that reads one path per line and writes one line of JSON for each. */
function batch(program: string, args: string[], paths: readonly string[]): Contents[] {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    env: ENVIRONMENT,
    encoding: 'utf8',
    input: paths.map((path) => `${path}\n`).join(''),
    timeout: BATCH_TIMEOUT_MS,
    maxBuffer: 2 ** 28,
  });
  if (error || status !== 0) throw new Error(`${program}: ${error?.message ?? stderr}`);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { files, error } = JSON.parse(line) as { files?: [string, string][] | null; error?: string };
      return error === undefined ? { files: new Map(files ?? []) } : { error };
    });
}

/** Runs a program that extracts into its working folder, and reads the extracted files. */
function extract(scratch: string, program: string, args: string[]): Contents {
  const folder = join(scratch, 'extracted');
  mkdirSync(folder);
  try {
    return run(program, args, () => filesBelow(folder), folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function filesBelow(folder: string): Files {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => !entry.isDirectory(),
  );
  return new Map(
    found.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(folder, path), entry.isFile() ? sha256(readFileSync(path)) : 'not a file'];
    }),
  );
}

function run(program: string, args: string[], parse: (output: string) => Files, cwd?: string): Contents {
  const options = {
    env: ENVIRONMENT,
    timeout: TIMEOUT_MS,
    maxBuffer: 2 ** 28,
    encoding: 'utf8',
    cwd,
  } as const;
  // Empty input: a reader that prompts gets no answer.
  const { status, stdout, stderr, error } = spawnSync(program, args, { ...options, input: '' });
  if (error || status !== 0)
    return { error: error?.message ?? (stderr.trim().split('\n').at(-1) || `exit ${status}`) };
  return { files: parse(stdout) };
}

/** Parses mtree(5): a line is a name and `key=value` words; names escape other than plain ASCII as three octal digits. */
function parseMtree(output: string): Files {
  const files: Files = new Map();
  for (const line of output.split('\n')) {
    const [name = '', ...words] = line.split(' ');
    const word = (key: string) => words.find((text) => text.startsWith(`${key}=`))?.slice(key.length + 1);
    const type = word('type');
    if (type === undefined || type === 'dir') continue;
    const content = type === 'file' ? (word('sha256digest') ?? sha256(new Uint8Array())) : type;
    files.set(withoutEscapes(name).replace(/^\.\//, ''), content);
  }
  return files;
}

function withoutEscapes(name: string): string {
  const latin1 = name.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return Buffer.from(latin1, 'latin1').toString('utf8');
}
