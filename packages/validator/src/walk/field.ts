import type { Walk } from '../engine.ts';
import { below, type Place } from '../place.ts';
import type { Fields, TargetName, Targets } from '../targets.ts';
import { isList, own } from '../values.ts';

/** The targets that take whatever stands there. */
type OpenTarget = {
  [T in TargetName]: unknown extends Targets[T] ? T : never;
}[TargetName];

/** Announces a field, there or not, and gives back its value and place. */
export function announceField(
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

/** Announces the strings of a list; what else is in it belongs to the rule about the list's shape. */
export function announceTexts(
  walk: Walk,
  list: readonly unknown[],
  place: Place,
  target: 'remote.domain' | 'network.domain' | 'grant' | 'category',
): void {
  for (const [index, item] of list.entries()) {
    if (typeof item === 'string') walk.visit(target, item, below(place, index));
  }
}

export function announceItems(walk: Walk, list: unknown, place: Place, target: OpenTarget): void {
  if (!isList(list)) return;
  for (const [index, item] of list.entries()) walk.visit(target, item, below(place, index));
}
