import type { AccountEndpoints, ChangeValue, FileFootprint, Footprint, ToolFootprint } from '@svc/contracts';
import type { Growth } from './growth.ts';
import type { ManifestField } from './manifest-field.ts';

/** One value of a field: the keys for each `*` of its path, and the value. Null means that there is no value. */
type Fact = readonly [keys: readonly string[], value: ChangeValue];

/** What an update of a field means for users who agreed to the previous version. */
export type FieldClass =
  /** What the app may do or where data goes. If an update adds permissions, a moderator reviews it and the user is asked. */
  | { class: 'reach'; grows: Growth; facts(footprint: Footprint): Fact[] }
  /**
   * How users recognise the app. For any change, a moderator reviews the update and the user is asked. `explains`: texts
   * that may be removed together with what they explain.
   */
  | { class: 'face'; explains?: true; fixed?: string; facts(footprint: Footprint): Fact[] }
  /**
   * What steers an agent. If an update adds or changes it, a moderator reviews the update; the client shows it, and asks the user only
   * where the user or the embedder chose so.
   */
  | { class: 'instructions'; facts(footprint: Footprint): Fact[] }
  /** The key of the items of another field: a change of it removes one item and adds another. */
  | { class: 'reach' | 'instructions' | 'free'; keyOf: ManifestField }
  /** All other fields. */
  | { class: 'free'; fixed?: string };

const FREE = { class: 'free' } as const;

const reach = (grows: Growth, facts: (footprint: Footprint) => Fact[]) =>
  ({ class: 'reach', grows, facts }) as const;

const face = (facts: (footprint: Footprint) => Fact[]) => ({ class: 'face', facts }) as const;

const instructions = (facts: (footprint: Footprint) => Fact[]) => ({ class: 'instructions', facts }) as const;

const set = (values: readonly string[]): Fact[] => values.map((value) => [[value], value]);

const account =
  (read: (endpoints: AccountEndpoints) => ChangeValue) =>
  ({ endpoints }: Footprint): Fact[] =>
    endpoints.map((entry) => [[entry.account], read(entry)]);

const tool =
  (read: (tool: ToolFootprint) => ChangeValue) =>
  ({ tools }: Footprint): Fact[] =>
    tools.map((entry) => [[entry.id], read(entry)]);

const file =
  (read: (file: FileFootprint) => ChangeValue) =>
  ({ tools }: Footprint): Fact[] =>
    tools.flatMap(({ id, files }) => files.map((entry): Fact => [[id, entry.param], read(entry)]));

/** An entry `id:scope` belongs to the account with this id; an id never contains a colon. */
const scopes = ({ accounts }: Footprint): Fact[] =>
  accounts
    .filter((entry) => entry.includes(':'))
    .map((entry) => {
      const [id = '', scope = ''] = entry.split(/:(.*)/s);
      return [[id, scope], scope];
    });

/**
 * The class of every field of a manifest, which changes add permissions, and where a footprint has its value. The table decides
 * which updates the store sends to review, and which updates the client asks the user about. A missing field does
 * not compile.
 */
export const FIELDS = {
  '/$schema': FREE,
  '/pluginApiVersion': { class: 'free', fixed: 'Store apps have one version of the format.' },
  '/id': { class: 'free', fixed: 'Another id is another app.' },
  '/name': face(({ face: { name } }) => [[[], name]]),
  '/version': FREE,
  '/description': FREE,
  // One value for all sentences, so that old and new are shown side by side.
  '/permissions/*': { ...face(({ face: { permissions } }) => [[[], permissions]]), explains: true },
  '/publisher': {
    ...face(({ face: { publisher } }) => [[[], publisher]]),
    fixed: 'An app stays with its publisher.',
  },
  '/author': face(({ face: { author } }) => [[[], author]]),
  '/categories/*': FREE,
  '/homepage': FREE,
  '/support': FREE,

  '/platforms/*': FREE,
  '/arch/*': FREE,

  '/remote/mcpUrl': reach('gained', ({ mcpUrl }) => [[[], mcpUrl]]),
  // Includes the host of the MCP server, as in the signed facts.
  '/remote/domains/*': reach('gained', ({ domains }) => set(domains)),
  // `storage` is implicit: every app has it, listed or not.
  '/grants/*': reach('gained', ({ grants }) => set(grants.filter((grant) => grant !== 'storage'))),

  '/branding/icon': face(({ face: { icon } }) => [[[], icon]]),
  '/branding/mark': face(({ face: { mark } }) => [[[], mark]]),
  '/branding/accent': FREE,
  '/branding/screenshots/*': FREE,

  '/accounts/*': reach(
    'gained',
    account(({ account }) => account),
  ),
  '/accounts/*/id': { class: 'reach', keyOf: '/accounts/*' },
  '/accounts/*/label': face(account(({ label }) => label)),
  '/accounts/*/auth': reach(
    'changed',
    account(({ auth }) => (auth === 'mcp' ? auth : null)),
  ),
  '/accounts/*/authorizeUrl': reach(
    'changed',
    account(({ authorizeUrl }) => authorizeUrl),
  ),
  '/accounts/*/tokenUrl': reach(
    'changed',
    account(({ tokenUrl }) => tokenUrl),
  ),
  '/accounts/*/revokeUrl': reach(
    'changed',
    account(({ revokeUrl }) => revokeUrl),
  ),
  '/accounts/*/clientId': reach(
    'changed',
    account(({ clientId }) => clientId),
  ),
  '/accounts/*/scopes/*': reach('gained', scopes),
  '/accounts/*/required': FREE,
  '/accounts/*/params/*': reach('changed', ({ endpoints }) =>
    endpoints.flatMap(({ account, params }) =>
      params.map(({ name, value }): Fact => [[account, name], value]),
    ),
  ),

  '/requires': FREE,
  // One value for the whole list: it excludes all other providers.
  '/requires/providers/*': reach('loosened', ({ requires: { providers } }) => [[[], providers]]),
  '/requires/apps/*': reach('gained', ({ requires: { apps } }) => set(apps)),
  '/requires/apps/*/id': { class: 'reach', keyOf: '/requires/apps/*' },
  '/requires/apps/*/github': { class: 'free', fixed: 'Not for store apps.' },
  '/requires/apps/*/reason': FREE,
  '/requires/connectors/*': reach('gained', ({ requires: { connectors } }) =>
    set(connectors.map(({ url }) => url)),
  ),
  '/requires/connectors/*/url': { class: 'reach', keyOf: '/requires/connectors/*' },
  '/requires/connectors/*/reason': FREE,
  '/requires/connectors/*/required': reach('gained', ({ requires: { connectors } }) =>
    connectors.map(({ url, required }) => [[url], required || null]),
  ),
  '/requires/optional/*': FREE,
  '/requires/optional/*/id': { class: 'free', keyOf: '/requires/optional/*' },
  '/requires/optional/*/url': { class: 'free', keyOf: '/requires/optional/*' },
  '/requires/optional/*/reason': FREE,

  '/contributes/tools/*': instructions(tool(({ id }) => id)),
  '/contributes/tools/*/id': { class: 'instructions', keyOf: '/contributes/tools/*' },
  // The tool that is called. Never null, so that giving up another name is a change like taking one.
  '/contributes/tools/*/remoteName': instructions(tool(({ id, remoteName }) => remoteName ?? id)),
  '/contributes/tools/*/name': instructions(tool(({ name }) => name)),
  '/contributes/tools/*/description': instructions(tool(({ description }) => description)),
  '/contributes/tools/*/account': reach(
    'gained',
    tool(({ account }) => account),
  ),
  '/contributes/tools/*/confirm': reach(
    'card-lost',
    tool(({ confirm }) => confirm !== null || null),
  ),
  '/contributes/tools/*/confirm/title': face(tool(({ confirm }) => confirm?.title ?? null)),
  '/contributes/tools/*/confirm/body': face(tool(({ confirm }) => confirm?.body ?? null)),
  '/contributes/tools/*/confirm/action': face(tool(({ confirm }) => confirm?.action ?? null)),
  '/contributes/tools/*/files/*': reach(
    'gained',
    file(({ param }) => param),
  ),
  '/contributes/tools/*/files/*/accept/*': reach(
    'loosened',
    file(({ accept }) => accept),
  ),
  '/contributes/tools/*/files/*/multiple': reach(
    'raised',
    file(({ multiple }) => multiple || null),
  ),
  '/contributes/tools/*/files/*/maxBytes': reach(
    'raised',
    file(({ maxBytes }) => maxBytes),
  ),
  '/contributes/tools/*/files/*/prepare': reach(
    'dropped',
    file(({ prepare }) => prepare as ChangeValue),
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
