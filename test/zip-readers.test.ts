import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readBundle } from '@svc/bundle';
import { buildZip, bytesOf, DEEP, extraField, interopFolder } from '@svc/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { archivesIn } from '../tools/compare/archive-files.ts';
import { type Accepted, disagreements, OTHER_READERS } from '../tools/compare/other-readers.ts';
import { accepted, generatedCorpus } from './support/zip-corpus.ts';

/** Maximum number of real archives of the machine: a sample of `npm run compare:zips`. */
const MAX_REAL = 20;

const vectors: Accepted[] = [...archivesIn(fileURLToPath(interopFolder('bundle')))].flatMap(
  ({ path, bytes }) => accepted(path, bytes),
);
let written: Accepted[] = [];
let folder: string;

/** Programs that pack a folder: shell commands that write `$1` from the current folder. */
const WRITERS = {
  'Info-ZIP zip': 'zip -qr "$1" .',
  'Info-ZIP zip to a pipe': 'zip -qr - . > "$1"',
  bsdtar: 'bsdtar -c --format=zip -f "$1" plugin.json ui',
  'bsdtar, stored': 'bsdtar -c --format=zip --options=zip:compression=store -f "$1" plugin.json ui',
  'Python zipfile': 'python3 -m zipfile -c "$1" plugin.json ui',
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-writers-'));
  const app = join(folder, 'app');
  mkdirSync(join(app, 'ui'), { recursive: true });
  writeFileSync(join(app, 'plugin.json'), '{}');
  writeFileSync(join(app, 'ui', 'index.html'), '<p>hello</p>'.repeat(500));
  written = Object.entries(WRITERS).flatMap(([name, line], index) => {
    const file = join(folder, `${index}.zip`);
    if (spawnSync('sh', ['-c', line, 'sh', file], { cwd: app }).status !== 0) return [];
    return accepted(`written by ${name}`, readFileSync(file));
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The wheels of Python, and jars in the folders of Debian and Maven. */
function realArchives(): Accepted[] {
  const python = spawnSync('python3', ['-c', 'import ensurepip; print(ensurepip.__path__[0])'], {
    encoding: 'utf8',
  });
  const places = [
    ...(python.status === 0 ? [join(python.stdout.trim(), '_bundled', '*.whl')] : []),
    '/usr/share/java/*.jar',
    join(process.env.HOME ?? '/nowhere', '.m2', 'repository', 'org', '*', '*', '*', '*', '*.jar'),
  ];
  const found: Accepted[] = [];
  for (const file of places.flatMap((place) => globSync(place).sort())) {
    if (found.length >= MAX_REAL) break;
    found.push(...accepted(basename(file), readFileSync(file)));
  }
  return found;
}

describe.each(OTHER_READERS.map((reader) => [reader.name, reader] as const))('%s', (_, reader) => {
  const why = reader.missing();
  const compares = (name: string, archives: () => Accepted[], options = {}) =>
    test(name, options, (context) => {
      if (why !== undefined) context.skip(why);
      const corpus = archives();
      if (corpus.length === 0) context.skip('this machine has no such archive');
      expect(disagreements(reader, corpus)).toEqual([]);
    });

  compares('agrees on the accepted interop vectors', () => vectors, reader === OTHER_READERS[0] ? {} : DEEP);
  compares('agrees on archives of other programs', () => written, DEEP);
  compares('agrees on wheels and jars', realArchives, DEEP);
  // Most readers start a process per archive.
  compares('agrees on generated archives', () => generatedCorpus({ tries: 400, seed: 20 }), DEEP);
});

describe('the comparison itself', () => {
  test('has enough vectors and generated archives', () => {
    expect(vectors.length).toBeGreaterThan(8);
    expect(generatedCorpus({ tries: 400, seed: 20 }).length).toBeGreaterThan(300);
  });

  test('detects the symbolic link that bsdtar creates from an extra field', (context) => {
    const bsdtar = OTHER_READERS.find(({ name }) => name === 'bsdtar, streaming');
    const why = bsdtar?.missing();
    if (!bsdtar || why !== undefined) return context.skip(why);
    const files = new Map([['plugin.json', 'a file']]);
    expect(disagreements(bsdtar, [{ name: 'attack', bytes: LINK, files }])).toEqual([
      expect.stringContaining('"plugin.json": our reader finds a file, this one not a f'),
    ]);
    expect(readBundle(LINK)).toMatchObject({ ok: false });
  });

  test('detects the name that unzip truncates', (context) => {
    const unzip = OTHER_READERS.find(({ name }) => name === 'Info-ZIP unzip');
    const why = unzip?.missing();
    if (!unzip || why !== undefined) return context.skip(why);
    const bytes = buildZip({ entries: [{ name: 'plugin.json;1', content: 'x' }] });
    expect(
      disagreements(unzip, [{ name: 'attack', bytes, files: new Map([['plugin.json;1', 'x']]) }]),
    ).toHaveLength(1);
    expect(readBundle(bytes)).toMatchObject({ ok: false });
  });
});

/** libarchive's extra field: a bitmap of the following fields, "made by" Unix, and the mode of a symbolic link. */
const LINK = buildZip({
  entries: [
    {
      name: 'plugin.json',
      content: '/etc/passwd',
      local: { extra: extraField(0x6c78, bytesOf([5, 20, 3, 0, 0, 0xff, 0xa1])) },
    },
  ],
});
