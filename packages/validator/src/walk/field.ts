import type { Walk } from '../engine.ts';
import { below, type Place } from '../place.ts';
import type { Fields, TargetName, Targets } from '../targets.ts';
import { isFields, isList, own } from '../values.ts';

/** Targets that are visited for any value. */
type OpenTarget = {
  [T in TargetName]: unknown extends Targets[T] ? T : never;
}[TargetName];

/** Visits a field, also if it is missing, and returns its value and place. */
export function visitField(
  walk: Walk,
  fields: Fields,
  name: string,
  parent: Place,
  target: OpenTarget,
): { value: unknown; place: Place } {
  const value = own(fields, name);
  const place = below(parent, name);
  walk.visit(target, value, place);
  return { value, place };
}

/** Visits the items of a list, and walks through those that are objects. */
export function visitObjects(
  walk: Walk,
  list: readonly unknown[],
  place: Place,
  target: OpenTarget,
  each: (walk: Walk, item: Fields, place: Place) => void,
): void {
  for (const [index, item] of list.entries()) {
    const here = below(place, index);
    walk.visit(target, item, here);
    if (isFields(item)) each(walk, item, here);
  }
}

/** Visits the strings of a list; other items are reported by the rule about the list. */
export function visitTexts(
  walk: Walk,
  list: readonly unknown[],
  place: Place,
  target: 'remote.domain' | 'network.domain' | 'grant' | 'category',
): void {
  for (const [index, item] of list.entries()) {
    if (typeof item === 'string') walk.visit(target, item, below(place, index));
  }
}

export function visitItems(walk: Walk, list: unknown, place: Place, target: OpenTarget): void {
  if (!isList(list)) return;
  for (const [index, item] of list.entries()) walk.visit(target, item, below(place, index));
}
