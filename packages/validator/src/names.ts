import { foldSpelling, nearest, sameSpelling } from './nearest.ts';
import type { Repair } from './rule.ts';
import { show } from './text.ts';

/** All the names that may stand somewhere, and other names that people know the same things by. */
export type Names = { readonly all: readonly string[]; readonly others: ReadonlyMap<string, string> };

/** `others` goes from a name that is well known elsewhere to the one that is right here. */
export function namesOf(all: readonly string[], others: Readonly<Record<string, string>> = {}): Names {
  const folded = Object.entries(others).map(([other, name]) => [foldSpelling(other), name] as const);
  return { all, others: new Map(folded) };
}

/** The name that can only have been meant: the same in another spelling, or another name of the same thing. */
function meant(value: unknown, { all, others }: Names): string | undefined {
  const same = sameSpelling(value, all);
  return same ?? (typeof value === 'string' ? others.get(foldSpelling(value)) : undefined);
}

/** A question to put behind a message about a wrong name, with the space before it; empty when nothing is near. */
export function didYouMean(value: unknown, names: Names): string {
  const name = meant(value, names) ?? nearest(value, names.all);
  return name === undefined ? '' : ` Did you mean ${show(name)}?`;
}

/** Puts the right name for one that can only have meant it; a name that is merely near is no more than a question. */
export function repairName(value: unknown, names: Names): Repair | undefined {
  const name = meant(value, names);
  return name === undefined ? undefined : { put: name };
}
