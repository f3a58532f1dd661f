import type { ChangeValue } from '@svc/contracts';

/** What each grant allows, as a phrase after "The app may". */
export const GRANT_WORDS: Readonly<Record<string, string>> = {
  storage: 'keep files in its own storage for each project',
  'files:receive': 'receive files that you or the agent hand to it',
  'files:return': 'return files that you can keep',
  'host:media': 'have pictures and recordings converted before it receives them',
  'project:write': 'ask to save a file into the project folder',
};

/** An unknown grant, for example of a newer store, is shown by its name. */
export const grantText = (grant: string): string =>
  (Object.hasOwn(GRANT_WORDS, grant) && GRANT_WORDS[grant]) || grant;

/** Titles of the groups of changes, in the order in which they are shown. */
export const GROUP_TITLES = {
  /** The app may do more, or data goes to other servers. */
  widens: 'Asks for new permissions',
  /** How users recognise the app changes. */
  face: 'Changes how it presents itself',
  /** What agents read of its tools changes. */
  instructions: 'Changes what agents read of its tools',
  /** The app may do less, or the same in another way. */
  other: 'Other changes',
} as const;

export type Sign = 'added' | 'removed' | 'changed';

export type Label = string | Readonly<Record<Sign, string>>;

/** How a change of a field is described. `subject` is the item that changes, `value` formats the old and new value. */
export type Words = {
  label: Label;
  subject?: (keys: readonly string[]) => string;
  value?: (value: ChangeValue) => readonly string[];
};

/** A value as text; accepts any type, because the store may send one that the field does not have. */
const plain = (value: ChangeValue): string => (typeof value === 'string' ? value : JSON.stringify(value));

export const text = (none: string) => (value: ChangeValue) => [value === null ? none : plain(value)];

export const list = (none: string) => (value: ChangeValue) =>
  Array.isArray(value) ? value.map(plain) : [none];

export const first = ([key = '']: readonly string[]): string => key;
export const param = (keys: readonly string[]): string => keys.join('.');
export const ofAccount = ([account = '', name = '']: readonly string[]): string => `${name} (${account})`;

/** A media operation, such as `resize, height 512, width 512`. */
export function operationText(value: ChangeValue): readonly string[] {
  if (value === null) return ['none: the file as it is'];
  if (typeof value !== 'object' || Array.isArray(value)) return [plain(value)];
  const { op = null, ...rest } = value;
  return [[plain(op), ...Object.entries(rest).map(([name, set]) => `${name} ${plain(set)}`)].join(', ')];
}
