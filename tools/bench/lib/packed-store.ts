import { join } from 'node:path';
import { bundleStore } from '../../release/bundle-store.ts';
import { ROOT } from './processes.ts';

/**
 * Builds the packed store in a place where it finds its native packages, as in an installation.
 * @returns the path of its program
 */
export async function packedStore(): Promise<string> {
  const folder = join(ROOT, 'node_modules', '.cache', 'bench-store');
  return join(await bundleStore(folder), 'bin', 'svc-store.js');
}
