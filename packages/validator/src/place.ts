/**
 * Where in a document the walk stands. A chain of steps instead of a string, since most places are never reported and
 * building their text would cost more than all the checks.
 */
export type Place = { readonly parent: Place | undefined; readonly step: string | number };

/** The document itself; its text is the empty JSON Pointer. */
export const ROOT: Place = { parent: undefined, step: '' };

/** The place of a bundle entry, whose text is the entry's name as it is. */
export function entryPlace(name: string): Place {
  return { parent: undefined, step: name };
}

export function below(parent: Place, step: string | number): Place {
  return { parent, step };
}

/** Longest step a pointer carries, in UTF-16 code units: a hostile key must not fill a report. */
const MAX_STEP = 256;

/** JSON Pointer (RFC 6901) of a place in the manifest, or the name of a bundle entry. */
export function textOf(place: Place): string {
  if (place.parent === undefined) return String(place.step);
  return `${textOf(place.parent)}/${escapeStep(place.step)}`;
}

/** Whether the pointer of a place leads there: one with a step cut short or fixed names another place, or none. */
export function isExact({ parent, step }: Place): boolean {
  const isWhole = typeof step === 'number' || (step.length <= MAX_STEP && step.isWellFormed());
  return isWhole && (parent === undefined || isExact(parent));
}

/** One reference token of RFC 6901: `~` and `/` are written `~0` and `~1`. */
function escapeStep(step: string | number): string {
  if (typeof step === 'number') return String(step);
  return step.slice(0, MAX_STEP).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1');
}
