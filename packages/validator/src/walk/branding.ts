import { LIMITS } from '@svc/contracts/vocabulary';
import type { Walk } from '../engine.ts';
import { readPicture } from '../pictures/read-picture.ts';
import { below, type Place } from '../place.ts';
import type { BundleFile } from '../targets.ts';
import { fieldsOf, isFields, isList } from '../values.ts';
import { announceField } from './field.ts';
import { announceReference } from './files.ts';

/** Goes through `branding` and the images it names. Left out, it is walked as empty: only the icon is missed then. */
export function walkBranding(walk: Walk, branding: unknown, place: Place): void {
  walk.visit('branding', branding, place);
  if (branding !== undefined && !isFields(branding)) return;
  const fields = fieldsOf(branding);
  const icon = announceField(walk, fields, 'icon', place, 'branding.icon');
  walkIcon(walk, announceReference(walk, icon.value, icon.place, 'branding.icon.file'), icon.place);
  const mark = announceField(walk, fields, 'mark', place, 'branding.mark');
  walkMark(walk, announceReference(walk, mark.value, mark.place, 'branding.mark.file'), mark.place);
  announceField(walk, fields, 'accent', place, 'branding.accent');
  const screenshots = announceField(walk, fields, 'screenshots', place, 'branding.screenshots');
  if (!isList(screenshots.value)) return;
  for (const [index, name] of screenshots.value.slice(0, LIMITS.branding.screenshots).entries()) {
    announceReference(walk, name, below(screenshots.place, index), 'branding.screenshot.file');
  }
}

/** Looks into the icon, unless it is too large: that is a finding already, and bounds the work. */
function walkIcon(walk: Walk, file: BundleFile | undefined, place: Place): void {
  if (file === undefined || file.bytes.length > LIMITS.branding.iconBytes) return;
  const picture = readPicture(file.bytes);
  walk.visit('branding.icon.picture', picture, place);
  if (picture.format !== 'png' && picture.format !== 'svg') return;
  walk.visit('branding.icon.sides', picture.sides, place);
  if (picture.format === 'svg') walk.visit('branding.svg', picture, place);
  else walk.visit('branding.icon.side', Math.min(picture.sides.width, picture.sides.height), place);
}

function walkMark(walk: Walk, file: BundleFile | undefined, place: Place): void {
  if (file === undefined || file.bytes.length > LIMITS.branding.markBytes) return;
  const picture = readPicture(file.bytes);
  walk.visit('branding.mark.picture', picture, place);
  if (picture.format === 'svg') walk.visit('branding.svg', picture, place);
}
