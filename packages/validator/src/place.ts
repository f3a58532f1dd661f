/**
 * A position in a document during the walk. It is a chain of steps instead of a string: most positions are never reported, and
 * building their text would cost more than all the checks.
 */
export type Place = { readonly parent: Place | undefined; readonly step: string | number };

/** The root of the document; its text is the empty JSON Pointer. */
export const ROOT: Place = { parent: undefined, step: '' };

/** The place of a bundle entry; its text is the name of the entry. */
export function entryPlace(name: string): Place {
  return { parent: undefined, step: name };
}

export function below(parent: Place, step: string | number): Place {
  return { parent, step };
}

/** Longest step in a pointer, in UTF-16 code units: a malicious key must not fill a report. */
const MAX_STEP = 256;

/** JSON Pointer (RFC 6901) of a place in the manifest, or the name of a bundle entry. */
export function textOf(place: Place): string {
  if (place.parent === undefined) return String(place.step);
  return `${textOf(place.parent)}/${escapeStep(place.step)}`;
}

/** Whether the pointer of a place is exact: one with a cut or repaired step may refer to another place, or to none. */
export function isExact({ parent, step }: Place): boolean {
  const isWhole = typeof step === 'number' || (step.length <= MAX_STEP && step.isWellFormed());
  return isWhole && (parent === undefined || isExact(parent));
}

/** One reference token of RFC 6901: `~` and `/` are written `~0` and `~1`. */
function escapeStep(step: string | number): string {
  if (typeof step === 'number') return String(step);
  return step.slice(0, MAX_STEP).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1');
}
