import type { Change, ChangeValue } from '@svc/contracts';
import type { ComparedField } from './fields.ts';
import { ancestorsOf, fieldOf } from './pointer.ts';

/** What each grant allows, in a sentence's worth of words. */
export const GRANT_WORDS: Readonly<Record<string, string>> = {
  storage: 'keep files in its own storage for each project',
  'files:receive': 'receive files that you or the agent hand to it',
  'files:return': 'return files that you can keep',
  'host:media': 'have pictures and recordings converted before it receives them',
  'project:write': 'ask to save a file into the project folder',
};

/** A grant that has no words here, as one of a newer store, is told by its name. */
const grantText = (grant: string): string =>
  (Object.hasOwn(GRANT_WORDS, grant) && GRANT_WORDS[grant]) || grant;

type Sign = 'added' | 'removed' | 'changed';

type Label = string | Readonly<Record<Sign, string>>;

/** How one field is told. `subject` is what the change is about, `value` what it was and is. */
type Words = {
  label: Label;
  subject?: (keys: readonly string[]) => string;
  value?: (value: ChangeValue) => readonly string[];
};

/** A value as text, also one of a type that the field does not have, as a store may send it. */
const plain = (value: ChangeValue): string => (typeof value === 'string' ? value : JSON.stringify(value));

const text = (none: string) => (value: ChangeValue) => [value === null ? none : plain(value)];

const list = (none: string) => (value: ChangeValue) => (Array.isArray(value) ? value.map(plain) : [none]);

const first = ([key = '']: readonly string[]): string => key;
const param = (keys: readonly string[]): string => keys.join('.');
const ofAccount = ([account = '', name = '']: readonly string[]): string => `${name} (${account})`;

const KIB = 1024;
const UNITS = ['bytes', 'KiB', 'MiB'];

/** A size such as `20 MiB`; exact, so that two different limits never read the same. */
function sizeText(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (unit < UNITS.length - 1 && size >= KIB && size % KIB === 0) [size, unit] = [size / KIB, unit + 1];
  return `${size.toLocaleString('en')} ${UNITS[unit]}`;
}

/** A media operation, such as `resize, height 512, width 512`. */
function operationText(value: ChangeValue): readonly string[] {
  if (value === null) return ['none: the file as it is'];
  if (typeof value !== 'object' || Array.isArray(value)) return [plain(value)];
  const { op = null, ...rest } = value;
  return [[plain(op), ...Object.entries(rest).map(([name, set]) => `${name} ${plain(set)}`)].join(', ')];
}

const WORDS: Readonly<Record<ComparedField, Words>> = {
  '/name': { label: 'Name', value: text('none') },
  '/publisher': { label: 'Publisher', value: text('none') },
  '/author': { label: 'Author', value: text('none') },
  '/permissions/*': { label: 'Permission texts', value: list('none') },
  '/branding/icon': { label: 'Icon', value: text('none') },
  '/branding/mark': { label: 'Mark', value: text('none') },

  '/remote/mcpUrl': { label: 'Server that runs its tools', value: text('none') },
  '/remote/domains/*': {
    label: 'Contacts',
    subject: ([host = '']) => (host.startsWith('*.') ? `${host} (every name below it)` : host),
  },
  '/grants/*': { label: 'May', subject: ([grant = '']) => grantText(grant) },

  '/accounts/*': { label: 'Account', subject: first },
  '/accounts/*/label': { label: 'Name of the account', subject: first, value: text('none') },
  '/accounts/*/auth': {
    label: 'Sign-in addresses of the account',
    subject: first,
    value: (value) => [value === 'mcp' ? 'named by its server' : 'named in the manifest'],
  },
  '/accounts/*/authorizeUrl': {
    label: 'Sign-in page of the account',
    subject: first,
    value: text('named by its server'),
  },
  '/accounts/*/tokenUrl': {
    label: 'Token address of the account',
    subject: first,
    value: text('named by its server'),
  },
  '/accounts/*/revokeUrl': {
    label: 'Revocation address of the account',
    subject: first,
    value: text('none'),
  },
  '/accounts/*/clientId': { label: 'OAuth client of the account', subject: first, value: text('none') },
  '/accounts/*/scopes/*': { label: 'Scope of the account', subject: ofAccount },
  '/accounts/*/params/*': { label: 'Sign-in parameter', subject: ofAccount, value: text('none') },

  '/requires/apps/*': { label: 'Requires the app', subject: first },
  '/requires/connectors/*': { label: 'Uses the connector', subject: first },
  '/requires/connectors/*/required': {
    label: {
      added: 'Requires the connector',
      changed: 'Requires the connector',
      removed: 'No longer requires the connector',
    },
    subject: first,
  },
  '/requires/providers/*': { label: 'Chat providers that get its tools', value: list('all') },

  '/contributes/tools/*': { label: 'Tool', subject: first },
  '/contributes/tools/*/account': {
    label: 'Account that the tool uses',
    subject: first,
    value: text('none'),
  },
  '/contributes/tools/*/confirm': {
    label: {
      added: 'Asks before it runs the tool',
      changed: 'Asks before it runs the tool',
      removed: 'No longer asks before it runs the tool',
    },
    subject: first,
  },
  '/contributes/tools/*/confirm/title': {
    label: 'Title of the approval card',
    subject: first,
    value: text('none'),
  },
  '/contributes/tools/*/confirm/body': {
    label: 'Text of the approval card',
    subject: first,
    value: text('none'),
  },
  '/contributes/tools/*/confirm/action': {
    label: 'Button of the approval card',
    subject: first,
    value: text('Approve'),
  },
  '/contributes/tools/*/files/*': { label: 'File argument', subject: param },
  '/contributes/tools/*/files/*/accept/*': {
    label: 'File types',
    subject: param,
    value: list('any'),
  },
  '/contributes/tools/*/files/*/multiple': {
    label: {
      added: 'Takes several files at once',
      changed: 'Takes several files at once',
      removed: 'Takes one file at a time',
    },
    subject: param,
  },
  '/contributes/tools/*/files/*/maxBytes': {
    label: 'Largest file',
    subject: param,
    value: (value) => [typeof value === 'number' ? sizeText(value) : 'none'],
  },
  '/contributes/tools/*/files/*/prepare': {
    label: 'Preparation of the file',
    subject: param,
    value: operationText,
  },
};

/** A change in words. `label` is ours; all else may hold text of the app, and is escaped by whatever shows it. */
export type ChangeText = {
  path: string;
  sign: Sign;
  label: string;
  /** What it is about, such as the id of a tool; empty for the app itself. */
  subject: string;
  /** What it was and what it is, each a list of lines; null where `subject` says all, and for the side without the item. */
  before: readonly string[] | null;
  after: readonly string[] | null;
  /** The values are hashes of these pictures of the bundle: show the pictures. */
  picture: 'icon' | 'mark' | null;
};

const PICTURES: Partial<Record<ComparedField, 'icon' | 'mark'>> = {
  '/branding/icon': 'icon',
  '/branding/mark': 'mark',
};

const signOf = ({ before, after }: Change): Sign =>
  before === null ? 'added' : after === null ? 'removed' : 'changed';

/** Only the lines that are not in both: the rest of a list did not change. */
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
 * A change in the words that every page, card and terminal uses.
 * @throws when its path is none of a change
 */
export function describeChange(change: Change): ChangeText {
  const found = fieldOf(change.path);
  if (!found) throw new Error(`No field has the path ${change.path}.`);
  const words = WORDS[found.field];
  const sign = signOf(change);
  return {
    path: change.path,
    sign,
    label: typeof words.label === 'string' ? words.label : words.label[sign],
    subject: words.subject?.(found.keys) ?? '',
    ...linesOf(words, change),
    picture: PICTURES[found.field] ?? null,
  };
}

/** Changes in words, by what they mean for people who agreed to the older version. */
export type ChangeGroups = {
  /** It may do more, or data goes elsewhere. */
  widens: ChangeText[];
  /** People recognise or judge it by something else. */
  face: ChangeText[];
  /** It may do less, or the same in another way. */
  other: ChangeText[];
};

/** Titles of the groups, in the order in which they are shown. */
export const GROUP_TITLES: Readonly<Record<keyof ChangeGroups, string>> = {
  widens: 'Asks for new permissions',
  face: 'Changes how it presents itself',
  other: 'Other changes',
};

/** Changes that this version of the format does not know, as those of a newer store, are told by their path. */
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

/** A value of an item that is new, such as an account, was nothing before; one of an item that goes is nothing after. */
function withinItem(change: Change, byPath: ReadonlyMap<string, Change>): ChangeText {
  const text = describeAny(change);
  const items = ancestorsOf(change.path).flatMap((path) => byPath.get(path) ?? []);
  return {
    ...text,
    before: items.some(({ before }) => before === null) ? null : text.before,
    after: items.some(({ after }) => after === null) ? null : text.after,
  };
}

/** The changes of an update in words, in groups; each group is shown in the order given. */
export function describeChanges(changes: readonly Change[]): ChangeGroups {
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const texts = (group: (change: Change) => boolean) =>
    changes.filter(group).map((change) => withinItem(change, byPath));
  return {
    widens: texts(({ widens }) => widens),
    face: texts(({ kind }) => kind === 'face'),
    other: texts(({ kind, widens }) => kind === 'reach' && !widens),
  };
}
