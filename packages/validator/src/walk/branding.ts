import { LIMITS } from '@svc/contracts';
import type { Walk } from '../engine.ts';
import { below, type Place } from '../place.ts';
import { fieldsOf, isFields, isList } from '../values.ts';
import { announceField } from './field.ts';
import { announceReference } from './files.ts';

/** Goes through `branding` and the images it names. Left out, it is walked as empty: only the icon is missed then. */
export function walkBranding(walk: Walk, branding: unknown, place: Place): void {
  walk.announce('branding', branding, place);
  if (branding !== undefined && !isFields(branding)) return;
  const fields = fieldsOf(branding);
  const icon = announceField(walk, fields, 'icon', place, 'branding.icon');
  announceReference(walk, icon.value, icon.place, 'branding.icon.file');
  const mark = announceField(walk, fields, 'mark', place, 'branding.mark');
  announceReference(walk, mark.value, mark.place, 'branding.mark.file');
  announceField(walk, fields, 'accent', place, 'branding.accent');
  const screenshots = announceField(walk, fields, 'screenshots', place, 'branding.screenshots');
  if (!isList(screenshots.value)) return;
  for (const [index, name] of screenshots.value.slice(0, LIMITS.branding.screenshots).entries()) {
    announceReference(walk, name, below(screenshots.place, index), 'branding.screenshot.file');
  }
}
