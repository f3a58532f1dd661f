import type { Change, ChangeValue, Footprint, SignedFootprint } from '@svc/contracts';
import { type ComparedField, FIELDS, type FieldClass, placeOf } from './fields.ts';
import { GROWTH } from './growth.ts';
import { ancestorsOf, pointerOf } from './pointer.ts';

/**
 * Converts signed facts or a listing to changes, so that they are described in the same words as an update. The complete
 * list is `changesOf(null, footprint)`, which needs the manifest.
 */
export function signedChanges({ grants, domains, accounts }: SignedFootprint): Change[] {
  const gained = (place: ComparedField, keys: readonly string[]): Change => ({
    path: pointerOf(place, keys),
    kind: 'reach',
    before: null,
    after: keys.at(-1) ?? null,
    widens: true,
  });
  return [
    ...domains.map((host) => gained('/remote/domains/*', [host])),
    // Every app has its own storage, listed or not.
    ...grants.filter((grant) => grant !== 'storage').map((grant) => gained('/grants/*', [grant])),
    ...accounts.map((entry) => {
      const [id = '', scope] = entry.split(/:(.*)/s);
      return scope === undefined ? gained('/accounts/*', [id]) : gained('/accounts/*/scopes/*', [id, scope]);
    }),
  ];
}

/** A value of a footprint and the field that it belongs to. */
type FieldValue = { field: ComparedField; keys: readonly string[]; value: ChangeValue };

/** A tool: what an agent can call. */
const TOOL = '/contributes/tools/*' satisfies ComparedField;
/** Which tool of the server that is. */
const REMOTE_NAME = '/contributes/tools/*/remoteName' satisfies ComparedField;

type ComparedClass = Extract<FieldClass, { facts: unknown }>;

const COMPARED = Object.entries(FIELDS).filter(
  (entry): entry is [ComparedField, (typeof FIELDS)[ComparedField]] => 'facts' in entry[1],
);

/** Paths of texts that explain what the app may do. */
const EXPLANATIONS: ReadonlySet<string> = new Set(
  COMPARED.filter(([, rule]) => 'explains' in rule).map(([field]) => placeOf(field)),
);

/** One of the two versions: its footprint, and all compared values by path. */
type Side = { footprint: Footprint | null; values: ReadonlyMap<string, FieldValue> };

function sideOf(footprint: Footprint | null): Side {
  const values = new Map<string, FieldValue>();
  for (const [field, { facts }] of footprint ? COMPARED : []) {
    for (const [keys, value] of facts(footprint as Footprint)) {
      if (value !== null) values.set(pointerOf(placeOf(field), keys), { field, keys, value });
    }
  }
  return { footprint, values };
}

/** Whether a version has a value at a path. The empty path is the app itself. */
const has = ({ footprint, values }: Side, path: string): boolean =>
  path === '' ? footprint !== null : values.has(path);

const same = (a: ChangeValue, b: ChangeValue): boolean => JSON.stringify(a) === JSON.stringify(b);

const isRemoval = ({ kind, after }: Change): boolean => kind !== 'face' && after === null;

/** Whether explanations are only removed, in an update that removes permissions and adds none. */
function onlyRemovesExplanations({ before, after }: Change, others: readonly Change[]): boolean {
  const [was, is] = [before as string[] | null, after as string[] | null];
  const addsNone = is?.every((text) => was?.includes(text)) ?? false;
  return addsNone && others.some(isRemoval) && !others.some(({ widens }) => widens);
}

/** The change at a path; null when there is none, or the change of the surrounding item already includes it. */
function changeAt(path: string, old: Side, now: Side): Change | null {
  const before = old.values.get(path)?.value ?? null;
  const after = now.values.get(path)?.value ?? null;
  if (same(before, after)) return null;
  const { field, keys } = (now.values.get(path) ?? old.values.get(path)) as FieldValue;
  const rule: ComparedClass = FIELDS[field];
  // The surrounding items that are added or removed together with the value.
  const owners = ancestorsOf(path).filter((owner) => has(old, owner) !== has(now, owner));
  if (rule.class === 'face') {
    // Users do not recognise a new item by its texts.
    return owners.length > 0 ? null : { path, kind: 'face', before, after, widens: false };
  }
  const gone = owners.some((owner) => has(old, owner));
  if (rule.class === 'instructions') {
    // The words of a removed tool go with it, and those of a new app are part of its manifest.
    const isIncluded = field !== TOOL && (gone || owners.includes(''));
    // A new tool is usually called by its id, which is shown already.
    const isOwnId = field === REMOTE_NAME && owners.length > 0 && after === keys[0];
    return isIncluded || isOwnId ? null : { path, kind: 'instructions', before, after, widens: false };
  }
  const next = now.footprint as Footprint;
  const widens = GROWTH[rule.grows]({ before, after, gone, keys, base: old.footprint, next });
  return { path, kind: 'reach', before, after, widens };
}

/**
 * Compares everything that users agree to between two versions of an app.
 * @param base the version that the user agreed to, or null when there is none: then everything the app may do is a change
 * @returns the changes, `reach` before `face` before `instructions`, sorted by path; empty if and only if the two versions differ only in
 *   free fields
 */
export function changesOf(base: Footprint | null, next: Footprint): Change[] {
  const [old, now] = [sideOf(base), sideOf(next)];
  const paths = new Set([...old.values.keys(), ...now.values.keys()]);
  const changes = [...paths].map((path) => changeAt(path, old, now)).filter((change) => change !== null);
  return changes
    .map(
      (change): Change =>
        EXPLANATIONS.has(change.path) && onlyRemovesExplanations(change, changes)
          ? { ...change, kind: 'reach' }
          : change,
    )
    .sort(inOrder);
}

const KINDS: readonly Change['kind'][] = ['reach', 'face', 'instructions'];

function inOrder(a: Change, b: Change): number {
  if (a.kind !== b.kind) return KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind);
  return a.path < b.path ? -1 : 1;
}
