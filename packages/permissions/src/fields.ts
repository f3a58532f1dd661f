import type { AccountEndpoints, ChangeValue, FileFootprint, Footprint, ToolFootprint } from '@svc/contracts';
import { exactSizeText } from '@svc/text/quantity';
import type { Growth } from './growth.ts';
import type { ManifestField } from './manifest-field.ts';
import {
  first,
  grantText,
  type Label,
  list,
  ofAccount,
  operationText,
  param,
  text,
  type Words,
} from './wording.ts';

/** One value of a field: the keys for each `*` of its path, and the value. Null means that there is no value. */
type Fact = readonly [keys: readonly string[], value: ChangeValue];

/** What an update of a field means for users who agreed to the previous version. */
export type FieldClass =
  /** What the app may do or where data goes. If an update adds permissions, a moderator reviews it and the user is asked. */
  | { class: 'reach'; grows: Growth; facts(footprint: Footprint): Fact[]; words: Words }
  /**
   * How users recognise the app. For any change, a moderator reviews the update and the user is asked. `explains`: texts
   * that may be removed together with what they explain.
   */
  | { class: 'face'; explains?: true; fixed?: string; facts(footprint: Footprint): Fact[]; words: Words }
  /**
   * What steers an agent. If an update adds or changes it, a moderator reviews the update; the client shows it, and asks the user only
   * where the user or the embedder chose so.
   */
  | { class: 'instructions'; facts(footprint: Footprint): Fact[]; words: Words }
  /** The key of the items of another field: a change of it removes one item and adds another. */
  | { class: 'reach' | 'instructions' | 'free'; keyOf: ManifestField }
  /** All other fields. */
  | { class: 'free'; fixed?: string };

const FREE = { class: 'free' } as const;

/** Where a footprint has the values of a field, and how a change of one is described. */
type Compared = { facts(footprint: Footprint): Fact[]; words: Words };

type Value = Words['value'] | null;

const compared = (
  facts: Compared['facts'],
  label: Label,
  subject: Words['subject'] | null,
  value: Value,
): Compared => ({ facts, words: { label, ...(subject && { subject }), ...(value && { value }) } });

const reach = (grows: Growth, field: Compared) => ({ class: 'reach', grows, ...field }) as const;

const face = (field: Compared) => ({ class: 'face', ...field }) as const;

const instructions = (field: Compared) => ({ class: 'instructions', ...field }) as const;

const set = (values: readonly string[]): Fact[] => values.map((value) => [[value], value]);

/** A value of the app itself. Without `value`, a value is shown as it is. */
const app = (read: (footprint: Footprint) => ChangeValue, label: Label, value: Value = text('none')) =>
  compared((footprint) => [[[], read(footprint)]], label, null, value);

/** A value of each account, tool or file argument; with null as `value`, only the item is shown. */
const account = (
  read: (endpoints: AccountEndpoints) => ChangeValue,
  label: Label,
  value: Value = text('none'),
) =>
  compared(({ endpoints }) => endpoints.map((entry) => [[entry.account], read(entry)]), label, first, value);

const tool = (read: (tool: ToolFootprint) => ChangeValue, label: Label, value: Value = text('none')) =>
  compared(({ tools }) => tools.map((entry) => [[entry.id], read(entry)]), label, first, value);

const file = (read: (file: FileFootprint) => ChangeValue, label: Label, value: Value) =>
  compared(
    ({ tools }) =>
      tools.flatMap(({ id, files }) => files.map((entry): Fact => [[id, entry.param], read(entry)])),
    label,
    param,
    value,
  );

/** An entry `id:scope` belongs to the account with this id; an id never contains a colon. */
const scopes = ({ accounts }: Footprint): Fact[] =>
  accounts
    .filter((entry) => entry.includes(':'))
    .map((entry) => {
      const [id = '', scope = ''] = entry.split(/:(.*)/s);
      return [[id, scope], scope];
    });

const hostText = ([host = '']: readonly string[]): string =>
  host.startsWith('*.') ? `${host} (every name below it)` : host;

const BY_SERVER = text('named by its server');

/** The labels of a field that applies or does not. */
const yesOrNo = (yes: string, no: string): Label => ({ added: yes, changed: yes, removed: no });

/**
 * The class of every field of a manifest, which changes add permissions, where a footprint has its value, and how a
 * change is described. The table decides
 * which updates the store sends to review, and which updates the client asks the user about. A missing field does
 * not compile.
 */
export const FIELDS = {
  '/$schema': FREE,
  '/pluginApiVersion': { class: 'free', fixed: 'Store apps have one version of the format.' },
  '/id': { class: 'free', fixed: 'Another id is another app.' },
  '/name': face(app(({ face: { name } }) => name, 'Name')),
  '/version': FREE,
  '/description': FREE,
  // One value for all sentences, so that old and new are shown side by side.
  '/permissions/*': {
    ...face(app(({ face: { permissions } }) => permissions, 'Permission texts', list('none'))),
    explains: true,
  },
  '/publisher': {
    ...face(app(({ face: { publisher } }) => publisher, 'Publisher')),
    fixed: 'An app stays with its publisher, until it is transferred to another one.',
  },
  '/author': face(app(({ face: { author } }) => author, 'Author')),
  '/categories/*': FREE,
  '/homepage': FREE,
  '/support': FREE,

  '/platforms/*': FREE,
  '/arch/*': FREE,

  '/remote/mcpUrl': reach(
    'gained',
    app(({ mcpUrl }) => mcpUrl, 'Server that runs its tools'),
  ),
  // Includes the host of the MCP server, as in the signed facts.
  '/remote/domains/*': reach(
    'gained',
    compared(({ domains }) => set(domains), 'Contacts', hostText, null),
  ),
  // `storage` is implicit: every app has it, listed or not.
  '/grants/*': reach(
    'gained',
    compared(
      ({ grants }) => set(grants.filter((grant) => grant !== 'storage')),
      'May',
      ([grant = '']) => grantText(grant),
      null,
    ),
  ),

  '/branding/icon': face(app(({ face: { icon } }) => icon, 'Icon')),
  '/branding/mark': face(app(({ face: { mark } }) => mark, 'Mark')),
  '/branding/accent': FREE,
  '/branding/screenshots/*': FREE,

  '/accounts/*': reach(
    'gained',
    account(({ account }) => account, 'Account', null),
  ),
  '/accounts/*/id': { class: 'reach', keyOf: '/accounts/*' },
  '/accounts/*/label': face(account(({ label }) => label, 'Name of the account')),
  '/accounts/*/auth': reach(
    'changed',
    account(
      ({ auth }) => (auth === 'mcp' ? auth : null),
      'Sign-in addresses of the account',
      (value) => [value === 'mcp' ? 'named by its server' : 'named in the manifest'],
    ),
  ),
  '/accounts/*/authorizeUrl': reach(
    'changed',
    account(({ authorizeUrl }) => authorizeUrl, 'Sign-in page of the account', BY_SERVER),
  ),
  '/accounts/*/tokenUrl': reach(
    'changed',
    account(({ tokenUrl }) => tokenUrl, 'Token address of the account', BY_SERVER),
  ),
  '/accounts/*/revokeUrl': reach(
    'changed',
    account(({ revokeUrl }) => revokeUrl, 'Revocation address of the account'),
  ),
  '/accounts/*/clientId': reach(
    'changed',
    account(({ clientId }) => clientId, 'OAuth client of the account'),
  ),
  '/accounts/*/scopes/*': reach('gained', compared(scopes, 'Scope of the account', ofAccount, null)),
  '/accounts/*/required': FREE,
  '/accounts/*/params/*': reach(
    'changed',
    compared(
      ({ endpoints }) =>
        endpoints.flatMap(({ account, params }) =>
          params.map(({ name, value }): Fact => [[account, name], value]),
        ),
      'Sign-in parameter',
      ofAccount,
      text('none'),
    ),
  ),

  '/requires': FREE,
  // One value for the whole list: it excludes all other providers.
  '/requires/providers/*': reach(
    'loosened',
    app(({ requires: { providers } }) => providers, 'Chat providers that get its tools', list('all')),
  ),
  '/requires/apps/*': reach(
    'gained',
    compared(({ requires: { apps } }) => set(apps), 'Requires the app', first, null),
  ),
  '/requires/apps/*/id': { class: 'reach', keyOf: '/requires/apps/*' },
  '/requires/apps/*/github': { class: 'free', fixed: 'Not for store apps.' },
  '/requires/apps/*/reason': FREE,
  '/requires/connectors/*': reach(
    'gained',
    compared(
      ({ requires: { connectors } }) => set(connectors.map(({ url }) => url)),
      'Uses the connector',
      first,
      null,
    ),
  ),
  '/requires/connectors/*/url': { class: 'reach', keyOf: '/requires/connectors/*' },
  '/requires/connectors/*/reason': FREE,
  '/requires/connectors/*/required': reach(
    'gained',
    compared(
      ({ requires: { connectors } }) => connectors.map(({ url, required }) => [[url], required || null]),
      yesOrNo('Requires the connector', 'No longer requires the connector'),
      first,
      null,
    ),
  ),
  '/requires/optional/*': FREE,
  '/requires/optional/*/id': { class: 'free', keyOf: '/requires/optional/*' },
  '/requires/optional/*/url': { class: 'free', keyOf: '/requires/optional/*' },
  '/requires/optional/*/reason': FREE,

  '/contributes/tools/*': instructions(tool(({ id }) => id, 'Tool', null)),
  '/contributes/tools/*/id': { class: 'instructions', keyOf: '/contributes/tools/*' },
  // The tool that is called. Never null, so that giving up another name is a change like taking one.
  '/contributes/tools/*/remoteName': instructions(
    tool(({ id, remoteName }) => remoteName ?? id, 'Tool of the server that it is'),
  ),
  '/contributes/tools/*/name': instructions(tool(({ name }) => name, 'Name of the tool')),
  '/contributes/tools/*/description': instructions(
    tool(({ description }) => description, 'Description of the tool'),
  ),
  '/contributes/tools/*/account': reach(
    'gained',
    tool(({ account }) => account, 'Account that the tool uses'),
  ),
  '/contributes/tools/*/confirm': reach(
    'card-lost',
    tool(
      ({ confirm }) => confirm !== null || null,
      yesOrNo('Asks before it runs the tool', 'No longer asks before it runs the tool'),
      null,
    ),
  ),
  '/contributes/tools/*/confirm/title': face(
    tool(({ confirm }) => confirm?.title ?? null, 'Title of the approval card'),
  ),
  '/contributes/tools/*/confirm/body': face(
    tool(({ confirm }) => confirm?.body ?? null, 'Text of the approval card'),
  ),
  '/contributes/tools/*/confirm/action': face(
    tool(({ confirm }) => confirm?.action ?? null, 'Button of the approval card', text('Approve')),
  ),
  '/contributes/tools/*/files/*': reach(
    'gained',
    file(({ param }) => param, 'File argument', null),
  ),
  '/contributes/tools/*/files/*/accept/*': reach(
    'loosened',
    file(({ accept }) => accept, 'File types', list('any')),
  ),
  '/contributes/tools/*/files/*/multiple': reach(
    'raised',
    file(
      ({ multiple }) => multiple || null,
      yesOrNo('Takes several files at once', 'Takes one file at a time'),
      null,
    ),
  ),
  '/contributes/tools/*/files/*/maxBytes': reach(
    'raised',
    file(
      ({ maxBytes }) => maxBytes,
      'Largest file',
      (value) => [typeof value === 'number' ? exactSizeText(value) : 'none'],
    ),
  ),
  '/contributes/tools/*/files/*/prepare': reach(
    'dropped',
    file(({ prepare }) => prepare as ChangeValue, 'Preparation of the file', operationText),
  ),

  '/contributes/panels/*': FREE,
  '/contributes/panels/*/id': { class: 'free', keyOf: '/contributes/panels/*' },
  '/contributes/panels/*/title': FREE,
  '/contributes/panels/*/component': { class: 'free', fixed: 'There is one kind of panel.' },
  '/contributes/panels/*/icon': FREE,
  '/contributes/panels/*/config': FREE,
  '/contributes/panels/*/config/entry': FREE,
  '/contributes/panels/*/views/*': FREE,
  '/contributes/panels/*/views/*/id': { class: 'free', keyOf: '/contributes/panels/*/views/*' },
  '/contributes/panels/*/views/*/label': FREE,
  '/contributes/settings/*': FREE,
  '/contributes/settings/*/id': { class: 'free', keyOf: '/contributes/settings/*' },
  '/contributes/settings/*/label': FREE,
  '/contributes/settings/*/type': FREE,
  '/contributes/settings/*/default': FREE,
  '/contributes/settings/*/options/*': FREE,
} as const satisfies Record<ManifestField, FieldClass>;

type Fields = typeof FIELDS;

/** The fields that are compared. */
export type ComparedField = {
  [Field in keyof Fields]: Fields[Field] extends { facts: unknown } ? Field : never;
}[keyof Fields];

/** Fields whose value is a whole list: a change is reported once, at the path of the list. */
const isWholeList = (field: string): boolean =>
  field === '/permissions/*' || field.endsWith('/accept/*') || field.endsWith('/providers/*');

/** The path at which a change of a field is reported, with `*` for each key. */
export const placeOf = (field: ComparedField): string => (isWholeList(field) ? field.slice(0, -2) : field);
