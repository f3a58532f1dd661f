import type { Walk } from '../engine.ts';
import { isBundlePath } from '../paths.ts';
import type { Place } from '../place.ts';

/** Announces a file that the manifest names, and its bytes when the bundle has it; silent without a bundle or a good path. */
export function announceReference(
  walk: Walk,
  name: unknown,
  place: Place,
  target?: 'branding.icon.file' | 'branding.mark.file' | 'branding.screenshot.file',
): void {
  const { entries } = walk.context;
  if (entries === undefined || !isBundlePath(name)) return;
  walk.announce('bundle.reference', name, place);
  const bytes = entries.get(name);
  if (target !== undefined && bytes !== undefined) walk.announce(target, { name, bytes }, place);
}
