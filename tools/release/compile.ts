import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { ROOT, type Target } from './targets.ts';

const TSC = join(ROOT, 'node_modules/@typescript/native/bin/tsc');
const CACHE = join(ROOT, 'node_modules/.cache');

/** Libraries get type declarations. */
const isLibrary = ({ manifest }: Target): boolean => manifest.exports !== undefined;

const compilerOptions = {
  noEmit: false,
  noCheck: true,
  incremental: false,
  tsBuildInfoFile: null,
  sourceMap: true,
  inlineSources: true,
  rootDir: ROOT,
  outDir: './out',
};

/** Rewrites the source paths of a source map: the compiler writes them relative to `out`; the sources are inlined. */
function nameSource(map: string): void {
  const content = JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] };
  writeFileSync(map, JSON.stringify({ ...content, sources: content.sources.map((file) => basename(file)) }));
}

function emit(targets: readonly Target[], declaration: boolean): void {
  mkdirSync(CACHE, { recursive: true });
  const work = mkdtempSync(join(CACHE, 'compile-'));
  try {
    const config = {
      extends: join(ROOT, 'tsconfig.json'),
      include: targets.map(({ folder }) => join(folder, 'src')),
      exclude: [],
      compilerOptions: { ...compilerOptions, declaration },
    };
    writeFileSync(join(work, 'tsconfig.json'), JSON.stringify(config));
    const { status } = spawnSync(process.execPath, [TSC, '-p', work], { stdio: ['ignore', 2, 2] });
    if (status !== 0) throw new Error('The packages do not compile.');
    for (const map of globSync('out/**/*.map', { cwd: work })) nameSource(join(work, map));
    for (const { folder } of targets) {
      const output = join(work, 'out', relative(ROOT, folder));
      cpSync(output, join(folder, 'dist'), { recursive: true });
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Compiles packages into their `dist/`, libraries with declarations together, so that each source is parsed once. Types are checked by
 * `npm run check:sources`; only declaration errors are reported here.
 */
export function compile(targets: readonly Target[]): void {
  for (const declaration of [true, false]) {
    const group = targets.filter((target) => isLibrary(target) === declaration);
    if (group.length > 0) emit(group, declaration);
  }
}
