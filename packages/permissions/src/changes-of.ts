import type { Change, ChangeValue, Footprint } from '@svc/contracts';
import { type ComparedField, FIELDS, type FieldClass, placeOf } from './fields.ts';
import { GROWTH } from './growth.ts';
import { ancestorsOf, pointerOf } from './pointer.ts';

/** A value that a footprint has, with where it stands. */
type Placed = { field: ComparedField; keys: readonly string[]; value: ChangeValue };

type ComparedClass = Extract<FieldClass, { facts: unknown }>;

const COMPARED = Object.entries(FIELDS).filter(
  (entry): entry is [ComparedField, (typeof FIELDS)[ComparedField]] => 'facts' in entry[1],
);

/** Places of texts that explain what the app may do. */
const EXPLAINING: ReadonlySet<string> = new Set(
  COMPARED.filter(([, rule]) => 'explains' in rule).map(([field]) => placeOf(field)),
);

/** One of the two versions: all its values that are compared, by where they stand. */
type Side = { footprint: Footprint | null; values: ReadonlyMap<string, Placed> };

function sideOf(footprint: Footprint | null): Side {
  const values = new Map<string, Placed>();
  for (const [field, { facts }] of footprint ? COMPARED : []) {
    for (const [keys, value] of facts(footprint as Footprint)) {
      if (value !== null) values.set(pointerOf(placeOf(field), keys), { field, keys, value });
    }
  }
  return { footprint, values };
}

/** Whether a version has something at a path. The app itself is at the empty one. */
const has = ({ footprint, values }: Side, path: string): boolean =>
  path === '' ? footprint !== null : values.has(path);

const same = (a: ChangeValue, b: ChangeValue): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

const isLess = ({ kind, before, after }: Change): boolean =>
  kind === 'reach' && before !== null && after === null;

/** Whether texts only go, in an update that takes something back and adds nothing that they would have to explain. */
function goesWithLess({ before, after }: Change, others: readonly Change[]): boolean {
  const [was, is] = [before as string[] | null, after as string[] | null];
  const onlyGoes = is?.every((text) => was?.includes(text)) ?? false;
  return onlyGoes && others.some(isLess) && !others.some(({ widens }) => widens);
}

/** What one path changes; null when that is told by the change of what it belongs to. */
function changeAt(path: string, old: Side, now: Side): Change | null {
  const before = old.values.get(path)?.value ?? null;
  const after = now.values.get(path)?.value ?? null;
  if (same(before, after)) return null;
  const { field, keys } = (now.values.get(path) ?? old.values.get(path)) as Placed;
  const rule: ComparedClass = FIELDS[field];
  // What comes or goes with the item that it belongs to.
  const owners = ancestorsOf(path).filter((owner) => has(old, owner) !== has(now, owner));
  if (rule.class === 'face') {
    // Texts of an item that is new were never what anyone recognised it by.
    return owners.length > 0 ? null : { path, kind: 'face', before, after, widens: false };
  }
  const gone = owners.some((owner) => has(old, owner));
  const next = now.footprint as Footprint;
  const widens = GROWTH[rule.grows]({ before, after, gone, keys, base: old.footprint, next });
  return { path, kind: 'reach', before, after, widens };
}

/**
 * Compares everything that people agree to between two versions of an app.
 * @param base the version that people agreed to, or null when there is none: then everything the app may do is a change
 * @returns the differences, `reach` first, each kind in the order of its paths; empty exactly when the two versions are
 *   the same outside of fields that are free
 */
export function changesOf(base: Footprint | null, next: Footprint): Change[] {
  const [old, now] = [sideOf(base), sideOf(next)];
  const paths = new Set([...old.values.keys(), ...now.values.keys()]);
  const changes = [...paths].map((path) => changeAt(path, old, now)).filter((change) => change !== null);
  return changes
    .map(
      (change): Change =>
        EXPLAINING.has(change.path) && goesWithLess(change, changes) ? { ...change, kind: 'reach' } : change,
    )
    .sort(inOrder);
}

function inOrder(a: Change, b: Change): number {
  if (a.kind !== b.kind) return a.kind === 'reach' ? -1 : 1;
  return a.path < b.path ? -1 : 1;
}
