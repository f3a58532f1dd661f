import { LIMITS } from '@svc/contracts/vocabulary';
import type { Walk } from '../engine.ts';
import { readPicture } from '../pictures/read-picture.ts';
import { below, type Place } from '../place.ts';
import type { BundleFile } from '../targets.ts';
import { fieldsOf, isFields, isList } from '../values.ts';
import { visitField } from './field.ts';
import { visitReference } from './files.ts';

/** Walks through `branding` and its images. A missing `branding` is treated as empty: only the icon is reported as missing. */
export function walkBranding(walk: Walk, branding: unknown, place: Place): void {
  walk.visit('branding', branding, place);
  if (branding !== undefined && !isFields(branding)) return;
  const fields = fieldsOf(branding);
  const icon = visitField(walk, fields, 'icon', place, 'branding.icon');
  walkIcon(walk, visitReference(walk, icon.value, icon.place, 'branding.icon.file'), icon.place);
  const mark = visitField(walk, fields, 'mark', place, 'branding.mark');
  walkMark(walk, visitReference(walk, mark.value, mark.place, 'branding.mark.file'), mark.place);
  visitField(walk, fields, 'accent', place, 'branding.accent');
  const screenshots = visitField(walk, fields, 'screenshots', place, 'branding.screenshots');
  if (!isList(screenshots.value)) return;
  for (const [index, name] of screenshots.value.slice(0, LIMITS.branding.screenshots).entries()) {
    visitReference(walk, name, below(screenshots.place, index), 'branding.screenshot.file');
  }
}

/** Checks the content of the icon, unless the file is too large: that is already reported, and the limit bounds the work. */
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
