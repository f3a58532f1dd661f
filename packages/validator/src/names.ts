import { foldSpelling, nearest, sameSpelling } from './nearest.ts';
import type { Repair } from './rule.ts';
import { show } from './text.ts';

/** The valid names of a field, and aliases for them. */
export type Names = { readonly all: readonly string[]; readonly aliases: ReadonlyMap<string, string> };

/** @param aliases maps a name that is common elsewhere to the valid one */
export function namesOf(all: readonly string[], aliases: Readonly<Record<string, string>> = {}): Names {
  const folded = Object.entries(aliases).map(([alias, name]) => [foldSpelling(alias), name] as const);
  return { all, aliases: new Map(folded) };
}

/** The valid name for another spelling of it, or for an alias. */
function resolveName(value: unknown, { all, aliases }: Names): string | undefined {
  const same = sameSpelling(value, all);
  return same ?? (typeof value === 'string' ? aliases.get(foldSpelling(value)) : undefined);
}

/** Returns " Did you mean …?" for the end of a message about an invalid name, or an empty string if no name is similar. */
export function didYouMean(value: unknown, names: Names): string {
  const name = resolveName(value, names) ?? nearest(value, names.all);
  return name === undefined ? '' : ` Did you mean ${show(name)}?`;
}

/** Replaces another spelling or an alias by the valid name. A name that is only similar is not repaired. */
export function repairName(value: unknown, names: Names): Repair | undefined {
  const name = resolveName(value, names);
  return name === undefined ? undefined : { put: name };
}
