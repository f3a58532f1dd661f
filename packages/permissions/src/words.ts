import type { Change } from '@svc/contracts';
import { type ComparedField, FIELDS } from './fields.ts';
import { steersAgents } from './permission-diff.ts';
import { ancestorsOf, fieldOf } from './pointer.ts';
import { GROUP_TITLES, type Sign, type Words } from './wording.ts';

export { GRANT_WORDS, GROUP_TITLES } from './wording.ts';

/** A change in words. Only `label` is trusted: escape the other fields, which may contain text of the app. */
export type ChangeText = {
  path: string;
  sign: Sign;
  label: string;
  /** The item that changes, such as the id of a tool; empty for the app itself. */
  subject: string;
  /** Old and new value, each a list of lines; null when there is only a `subject`, and for the version without the item. */
  before: readonly string[] | null;
  after: readonly string[] | null;
  /** The values are hashes of this image in the bundle: show the image. */
  picture: 'icon' | 'mark' | null;
};

const PICTURES: Partial<Record<ComparedField, 'icon' | 'mark'>> = {
  '/branding/icon': 'icon',
  '/branding/mark': 'mark',
};

const signOf = ({ before, after }: Change): Sign =>
  before === null ? 'added' : after === null ? 'removed' : 'changed';

/** For a list, only the lines that are not in both versions. */
function linesOf(words: Words, { before, after }: Change) {
  if (!words.value) return { before: null, after: null };
  const [was, is] = [words.value(before), words.value(after)];
  const lists = was.length + is.length > 2;
  return {
    before: lists ? was.filter((line) => !is.includes(line)) : was,
    after: lists ? is.filter((line) => !was.includes(line)) : is,
  };
}

/**
 * Describes a change in the words that all pages, cards and terminals use.
 * @throws Error when its path is unknown
 */
export function describeChange(change: Change): ChangeText {
  const location = fieldOf(change.path);
  if (!location) throw new Error(`Unknown path of a change: ${change.path}.`);
  const { words }: { words: Words } = FIELDS[location.field];
  const sign = signOf(change);
  return {
    path: change.path,
    sign,
    label: typeof words.label === 'string' ? words.label : words.label[sign],
    subject: words.subject?.(location.keys) ?? '',
    ...linesOf(words, change),
    picture: PICTURES[location.field] ?? null,
  };
}

/** Changes in words, grouped by what they mean for users who agreed to the older version. */
export type ChangeGroups = Record<keyof typeof GROUP_TITLES, ChangeText[]>;

/** The groups in the order in which they are shown. */
export const CHANGE_GROUPS = Object.keys(GROUP_TITLES) as readonly (keyof ChangeGroups)[];

/** Marks a change before its label. `SIGN_WORDS` says the same to a screen reader. */
export const CHANGE_SIGNS: Readonly<Record<Sign, string>> = { added: '+', removed: '−', changed: '~' };
export const SIGN_WORDS: Readonly<Record<Sign, string>> = {
  added: 'added',
  removed: 'removed',
  changed: 'changed',
};

/** Titles of the two values of a change. */
export const SIDE_TITLES: Readonly<Record<'before' | 'after', string>> = { before: 'Before', after: 'After' };

/** Shown for a value without lines. */
export const NO_VALUE = 'nothing';

/** Title of the permissions of an app, in the words of svc. */
export const ALLOWED_TITLE = 'svc will allow';

/** A change of an unknown field, for example of a newer store, is shown by its path. */
const describeAny = (change: Change): ChangeText =>
  fieldOf(change.path)
    ? describeChange(change)
    : {
        path: change.path,
        sign: signOf(change),
        label: 'Manifest field',
        subject: change.path,
        before: null,
        after: null,
        picture: null,
      };

/** A value of a new item, such as an account, has no old value; a value of a removed item has no new value. */
function withinItem(change: Change, byPath: ReadonlyMap<string, Change>): ChangeText {
  const text = describeAny(change);
  const items = ancestorsOf(change.path).flatMap((path) => byPath.get(path) ?? []);
  return {
    ...text,
    before: items.some(({ before }) => before === null) ? null : text.before,
    after: items.some(({ after }) => after === null) ? null : text.after,
  };
}

/** Describes all permissions and tools of an app in words: changes from nothing to its footprint. */
export function describeAllowed(changes: readonly Change[]): ChangeText[] {
  const { widens, instructions, other } = describeChanges(changes);
  return [...widens, ...instructions, ...other];
}

/** Describes the changes of an update in words, in groups. Each group keeps the order of the changes. */
export function describeChanges(changes: readonly Change[]): ChangeGroups {
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const texts = (group: (change: Change) => boolean) =>
    changes.filter(group).map((change) => withinItem(change, byPath));
  return {
    widens: texts(({ widens }) => widens),
    face: texts(({ kind }) => kind === 'face'),
    instructions: texts(steersAgents),
    other: texts((change) => change.kind !== 'face' && !change.widens && !steersAgents(change)),
  };
}
