import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from './targets.ts';

export type Programs = {
  /** Sources by the names of the programs, from the root of the repository. */
  inputs: Readonly<Record<string, string>>;
  /** Packages that stay outside: what is native, reads files of its own, or is there only where a user installed it. */
  external: readonly string[];
  /** Where the files go. */
  folder: string;
  /** Names are kept all the same, so that errors and stack traces can be read. */
  minify: boolean;
};

/** Whether an import leads to one of the packages, or into it. */
const isOf = (packages: readonly string[], name: string): boolean =>
  packages.some((one) => name === one || name.startsWith(`${one}/`));

type Chunk = { fileName: string; imports: string[]; dynamicImports: string[] };

/** @throws when a file imports what is neither in the bundle nor of Node nor external */
function requireWhole(chunks: readonly Chunk[], external: readonly string[]): void {
  const inside = new Set(chunks.map(({ fileName }) => fileName));
  const outside = chunks
    .flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
    .filter((name) => !inside.has(name) && !isBuiltin(name) && !isOf(external, name));
  if (outside.length > 0) throw new Error(`The bundle needs ${[...new Set(outside)].join(', ')}.`);
}

/** How a library of ours finds the file of a thread or process beside its own. */
const BESIDE = /new URL\(\s*`\.\/([\w-]+)\$\{/g;

/** @throws when a module starts a file beside itself that is no program of the bundle: it would not be there */
async function requireStarted(modules: Iterable<string>, inputs: Programs['inputs']): Promise<void> {
  for (const module of modules) {
    if (!module.startsWith(ROOT) || module.includes('/node_modules/')) continue;
    for (const [, name = ''] of (await readFile(module, 'utf8')).matchAll(BESIDE))
      if (!(name in inputs)) throw new Error(`${module} starts ${name}, which is not in the bundle.`);
  }
}

/**
 * Makes programs of sources: an ES module for each, and others for what several of them need.
 * @returns the modules inside, by their paths
 */
export async function bundlePrograms({ inputs, external, folder, minify }: Programs): Promise<Set<string>> {
  const bundle = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(Object.entries(inputs).map(([name, file]) => [name, join(ROOT, file)])),
    platform: 'node',
    external: (name) => isOf(external, name),
    // ES modules first: jsonc-parser requires its own files in a way that no bundler follows.
    resolve: { mainFields: ['module', 'main'] },
  });
  try {
    const { output } = await bundle.write({
      dir: folder,
      format: 'esm',
      minify,
      keepNames: minify,
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
    });
    const chunks = output.filter((file) => file.type === 'chunk');
    requireWhole(chunks, external);
    const modules = new Set(chunks.flatMap(({ moduleIds }) => moduleIds));
    await requireStarted(modules, inputs);
    return modules;
  } finally {
    await bundle.close();
  }
}
