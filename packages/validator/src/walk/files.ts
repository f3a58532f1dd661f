import type { Walk } from '../engine.ts';
import { isBundlePath } from '../paths.ts';
import type { Place } from '../place.ts';
import type { BundleFile } from '../targets.ts';

/**
 * Visits a file that the manifest refers to, and its bytes if the bundle has it. Does nothing without a bundle or a valid path.
 * Returns the visited file.
 */
export function visitReference(
  walk: Walk,
  name: unknown,
  place: Place,
  target?: 'branding.icon.file' | 'branding.mark.file' | 'branding.screenshot.file',
): BundleFile | undefined {
  const { entries } = walk.context;
  if (entries === undefined || !isBundlePath(name)) return undefined;
  walk.visit('bundle.reference', name, place);
  const bytes = entries.get(name);
  if (target === undefined || bytes === undefined) return undefined;
  const file = { name, bytes };
  walk.visit(target, file, place);
  return file;
}
