import { byCodeUnit } from './by-code-unit.ts';

const DIGITS = /^\d+$/;

/**
 * Compares two identifiers (Semantic Versioning 2.0.0 section 11.4). Numbers have no leading zeros, so the longer one is greater: as
 * numbers of JavaScript they would be equal beyond 2^53.
 */
function compareIdentifiers(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [DIGITS.test(a), DIGITS.test(b)];
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return (isNumber && Math.sign(a.length - b.length)) || byCodeUnit(a, b);
}

function compareLists(a: readonly string[], b: readonly string[]): number {
  for (const [index, identifier] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const result = compareIdentifiers(identifier, other);
    if (result !== 0) return result;
  }
  return a.length < b.length ? -1 : 0;
}

/** The numbers of a version, and its pre-release identifiers. Build metadata is not compared. */
function partsOf(version: string): { numbers: string[]; preRelease: string[] } {
  const [text = ''] = version.split('+', 1);
  const [core = ''] = text.split('-', 1);
  const preRelease = text.slice(core.length + 1);
  return { numbers: core.split('.'), preRelease: preRelease === '' ? [] : preRelease.split('.') };
}

/** Whether a valid version is a pre-release. */
export const isPreRelease = (version: string): boolean => partsOf(version).preRelease.length > 0;

/** Compares two valid versions by their precedence. @returns a negative number, 0 or a positive number */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [partsOf(a), partsOf(b)];
  const result = compareLists(one.numbers, other.numbers);
  if (result !== 0) return result;
  // A version without pre-release is greater than its pre-releases.
  if (one.preRelease.length === 0 || other.preRelease.length === 0)
    return Math.sign(other.preRelease.length - one.preRelease.length);
  return compareLists(one.preRelease, other.preRelease);
}
