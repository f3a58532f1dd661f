import type { Change, ChangeValue } from '@svc/contracts';
import type { ComparedField } from './fields.ts';
import { steersAgents } from './permission-diff.ts';
import { ancestorsOf, fieldOf } from './pointer.ts';

/** What each grant allows, as a phrase after "The app may". */
export const GRANT_WORDS: Readonly<Record<string, string>> = {
  storage: 'keep files in its own storage for each project',
  'files:receive': 'receive files that you or the agent hand to it',
  'files:return': 'return files that you can keep',
  'host:media': 'have pictures and recordings converted before it receives them',
  'project:write': 'ask to save a file into the project folder',
};

/** An unknown grant, for example of a newer store, is shown by its name. */
const grantText = (grant: string): string =>
  (Object.hasOwn(GRANT_WORDS, grant) && GRANT_WORDS[grant]) || grant;

type Sign = 'added' | 'removed' | 'changed';

type Label = string | Readonly<Record<Sign, string>>;

/** How a change of a field is described. `subject` is the item that changes, `value` formats the old and new value. */
type Words = {
  label: Label;
  subject?: (keys: readonly string[]) => string;
  value?: (value: ChangeValue) => readonly string[];
};

/** A value as text; accepts any type, because the store may send one that the field does not have. */
const plain = (value: ChangeValue): string => (typeof value === 'string' ? value : JSON.stringify(value));

const text = (none: string) => (value: ChangeValue) => [value === null ? none : plain(value)];

const list = (none: string) => (value: ChangeValue) => (Array.isArray(value) ? value.map(plain) : [none]);

const first = ([key = '']: readonly string[]): string => key;
const param = (keys: readonly string[]): string => keys.join('.');
const ofAccount = ([account = '', name = '']: readonly string[]): string => `${name} (${account})`;

const KIB = 1024;
const UNITS = ['bytes', 'KiB', 'MiB'];

/** A size such as `20 MiB`; exact, so that two different limits never look the same. */
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
  '/contributes/tools/*/remoteName': {
    label: 'Tool of the server that it is',
    subject: first,
    value: text('none'),
  },
  '/contributes/tools/*/name': { label: 'Name of the tool', subject: first, value: text('none') },
  '/contributes/tools/*/description': {
    label: 'Description of the tool',
    subject: first,
    value: text('none'),
  },
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
  const words = WORDS[location.field];
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
export type ChangeGroups = {
  /** The app may do more, or data goes to other servers. */
  widens: ChangeText[];
  /** How users recognise the app changes. */
  face: ChangeText[];
  /** What agents read of its tools changes. */
  instructions: ChangeText[];
  /** The app may do less, or the same in another way. */
  other: ChangeText[];
};

/** Titles of the groups, in the order in which they are shown. */
export const GROUP_TITLES: Readonly<Record<keyof ChangeGroups, string>> = {
  widens: 'Asks for new permissions',
  face: 'Changes how it presents itself',
  instructions: 'Changes what agents read of its tools',
  other: 'Other changes',
};

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
