import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from './targets.ts';

export type Programs = {
  /** Entry files by program name, relative to the root of the repository. */
  inputs: Readonly<Record<string, string>>;
  /** Packages that are not bundled: native ones, ones that read their own files, and optional ones. */
  external: readonly string[];
  /** Output folder. */
  folder: string;
  /** Names of functions are kept, for readable stack traces. */
  minify: boolean;
};

/** Whether an import is one of the packages, or a subpath of it. */
const isOf = (packages: readonly string[], name: string): boolean =>
  packages.some((item) => name === item || name.startsWith(`${item}/`));

type Chunk = { fileName: string; imports: string[]; dynamicImports: string[] };

/** @throws when a chunk imports a module that is not in the bundle, built into Node or external */
function assertComplete(chunks: readonly Chunk[], external: readonly string[]): void {
  const inside = new Set(chunks.map(({ fileName }) => fileName));
  const outside = chunks
    .flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
    .filter((name) => !inside.has(name) && !isBuiltin(name) && !isOf(external, name));
  if (outside.length > 0) throw new Error(`The bundle is missing ${[...new Set(outside)].join(', ')}.`);
}

/**
 * Bundles programs: one ES module each, and shared chunks.
 * @returns the paths of the bundled modules
 */
export async function bundlePrograms({ inputs, external, folder, minify }: Programs): Promise<Set<string>> {
  const bundle = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(Object.entries(inputs).map(([name, file]) => [name, join(ROOT, file)])),
    platform: 'node',
    external: (name) => isOf(external, name),
    // ES modules first: bundlers cannot follow the CommonJS build of jsonc-parser.
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
    assertComplete(chunks, external);
    return new Set(chunks.flatMap(({ moduleIds }) => moduleIds));
  } finally {
    await bundle.close();
  }
}
