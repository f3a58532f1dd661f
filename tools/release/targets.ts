import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PACKAGES } from '../../scripts/architecture.ts';

export const ROOT = join(import.meta.dirname, '..', '..');

/** The fields of a package.json that a release uses. */
export type Manifest = {
  name: string;
  version: string;
  private?: boolean;
  engines?: { node?: string };
  exports?: Record<string, string>;
  imports?: Record<string, unknown>;
  dependencies?: Record<string, string>;
  [field: string]: unknown;
};

/** A package that is published. */
export type Target = { folder: string; manifest: Manifest };

const readManifest = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));

/** The published packages, each after the packages that it imports. */
export async function readTargets(): Promise<Target[]> {
  const folders = PACKAGES.map(({ path }) => join(ROOT, path));
  const all = await Promise.all(
    folders.map(async (folder) => ({ folder, manifest: await readManifest(folder) })),
  );
  return all.filter(({ manifest }) => manifest.private !== true);
}

/** The packages that are bundled with their dependencies: see `bundle-cli.ts` and `bundle-store.ts`. */
const BUNDLED = ['@svc/cli', '@svc/store'];

export const isBundled = ({ manifest }: Target): boolean => BUNDLED.includes(manifest.name);

/** The packages of this repository that a package imports, directly or through another. */
export function ownDependencies(target: Target, targets: readonly Target[]): Target[] {
  const dependencies = new Set<Target>();
  const visit = ({ manifest }: Target): void => {
    for (const candidate of targets) {
      if (!(candidate.manifest.name in (manifest.dependencies ?? {}))) continue;
      if (dependencies.has(candidate)) continue;
      dependencies.add(candidate);
      visit(candidate);
    }
  };
  visit(target);
  return [...dependencies];
}
