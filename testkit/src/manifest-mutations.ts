import type { Manifest } from '@svc/contracts';
import { png } from './picture.ts';
import { sampleManifest } from './sample-app.ts';

const AUTH = 'https://auth.example.com';

/** A valid manifest in which every field has a value. */
export const fullManifest = (): Manifest =>
  sampleManifest({
    $schema: 'https://store.example/schemas/app-manifest-v3.json',
    permissions: ['Reads the files you hand to it.', 'Sends letters for you.'],
    author: 'Example Ltd',
    homepage: 'https://example.com/',
    support: 'mailto:help@example.com',
    categories: ['productivity', 'communication'],
    platforms: ['linux', 'darwin', 'win32'],
    arch: ['x64', 'arm64'],
    grants: ['files:receive', 'host:media'],
    branding: {
      icon: 'assets/icon.png',
      mark: 'assets/mark.svg',
      accent: '#336699',
      screenshots: ['assets/one.png'],
    },
    accounts: [
      {
        id: 'mail',
        label: 'Mail',
        authorizeUrl: `${AUTH}/authorize`,
        tokenUrl: `${AUTH}/token`,
        revokeUrl: `${AUTH}/revoke`,
        clientId: 'client-1',
        scopes: ['read', 'send'],
        required: true,
        params: { audience: 'letters' },
      },
    ],
    requires: {
      providers: ['svc-chat', 'codex'],
      apps: [{ id: 'media', reason: 'It makes pictures small.' }],
      connectors: [{ url: 'https://connector.example/mcp', reason: 'It finds.' }],
      optional: [{ id: 'browser-use', reason: 'It opens pages.' }],
    },
    contributes: {
      tools: [
        {
          id: 'send',
          name: 'Send',
          description: 'Sends a letter.',
          account: 'mail',
          confirm: { title: 'Send it?', body: 'It cannot be undone.', action: 'Send' },
          files: {
            body: { accept: ['image/png'], maxBytes: 1000, prepare: { op: 'resize', width: 64 } },
          },
        },
        { id: 'list', name: 'List', description: 'Lists letters.' },
      ],
      panels: [
        {
          id: 'main',
          title: 'Letters',
          component: 'webview',
          icon: 'branding',
          config: { entry: 'ui/index.html' },
          views: [{ id: 'all', label: 'All' }],
        },
      ],
      settings: [{ id: 'tone', label: 'Tone', type: 'select', default: 'warm', options: ['warm', 'cold'] }],
    },
  });

/** Files of the bundle that `fullManifest` and its mutations refer to. */
export const FULL_FILES: Readonly<Record<string, Uint8Array | string>> = {
  'assets/one.png': png(64),
  'assets/two.png': png(64),
  'ui/index.html': '<!doctype html><title>Letters</title>',
  'ui/other.html': '<!doctype html><title>Letters</title>',
};

/** What an update needs: nothing, a review because it changes what steers agents, or a review and consent because it adds permissions or
 * changes how users recognise the app. */
export type Verdict = 'passes' | 'reach' | 'face' | 'instructions';

/** A change of one field, and what an update with the change, or with its reversal, needs. */
export type Mutation = {
  change(manifest: Manifest): void;
  /** Files of the changed version. */
  files?: Readonly<Record<string, Uint8Array | string>>;
  there: Verdict;
  back: Verdict;
};

type Tool = NonNullable<Manifest['contributes']['tools']>[number];

const first = <T>(list: readonly T[] | undefined): T => {
  const [item] = list ?? [];
  if (item === undefined) throw new Error('The full manifest has no such item.');
  return item;
};
const account = (m: Manifest) => first(m.accounts);
const send = (m: Manifest): Tool => first(m.contributes.tools);
const list = (m: Manifest): Tool => first(m.contributes.tools?.slice(1));
const body = (m: Manifest) => first(Object.values(send(m).files ?? {}));
const confirm = (m: Manifest) => first([send(m).confirm]) as NonNullable<Tool['confirm']>;
const panel = (m: Manifest) => first(m.contributes.panels);
const setting = (m: Manifest) => first(m.contributes.settings);
const requires = (m: Manifest) => first([m.requires]) as NonNullable<Manifest['requires']>;
const optional = (m: Manifest) => first(requires(m).optional);
const connector = (m: Manifest) => first(requires(m).connectors);

const free = (change: (m: Manifest) => void): Mutation => ({ change, there: 'passes', back: 'passes' });
const steers = (change: (m: Manifest) => void): Mutation => ({
  change,
  there: 'instructions',
  back: 'instructions',
});
const face = (change: (m: Manifest) => void): Mutation => ({ change, there: 'face', back: 'face' });
const moved = (change: (m: Manifest) => void): Mutation => ({ change, there: 'reach', back: 'reach' });
const grows = (change: (m: Manifest) => void): Mutation => ({ change, there: 'reach', back: 'passes' });
const shrinks = (change: (m: Manifest) => void): Mutation => ({ change, there: 'passes', back: 'reach' });

/**
 * A change of every field of a manifest that an update can change, by the path of the field. What it needs is
 * written by hand, independently of the code under test.
 */
export const MANIFEST_MUTATIONS: Readonly<Record<string, Mutation>> = {
  '/$schema': free((m) => void delete m.$schema),
  '/name': face((m) => {
    m.name = 'Letters';
  }),
  '/version': free(() => undefined),
  '/description': free((m) => {
    m.description = 'Other words.';
  }),
  '/permissions/*': face((m) => {
    m.permissions = ['Reads your files.', 'Sends letters for you.'];
  }),
  '/author': face((m) => void delete m.author),
  '/categories/*': free((m) => {
    m.categories = ['data'];
  }),
  '/homepage': free((m) => {
    m.homepage = 'https://example.com/other';
  }),
  '/support': free((m) => {
    m.support = 'https://example.com/help';
  }),
  '/platforms/*': free((m) => {
    m.platforms = ['linux'];
  }),
  '/arch/*': free((m) => {
    m.arch = ['x64'];
  }),
  '/remote/mcpUrl': moved((m) => {
    m.remote.mcpUrl = 'https://mcp.example.com/other';
  }),
  '/remote/domains/*': grows((m) => void m.remote.domains.push('more.example.com')),
  '/grants/*': grows((m) => void m.grants?.push('project:write')),
  '/branding/icon': { ...face(() => undefined), files: { 'assets/icon.png': png(512, 512, 0x90) } },
  '/branding/mark': face((m) => void delete m.branding.mark),
  '/branding/accent': free((m) => {
    m.branding.accent = '#000000';
  }),
  '/branding/screenshots/*': free((m) => {
    m.branding.screenshots = ['assets/two.png'];
  }),
  '/accounts/*': grows(
    (m) => void m.accounts?.push({ ...account(m), id: 'drive', scopes: [], params: {}, required: false }),
  ),
  '/accounts/*/id': moved((m) => {
    account(m).id = 'post';
    send(m).account = 'post';
  }),
  '/accounts/*/label': face((m) => {
    account(m).label = 'Bank';
  }),
  '/accounts/*/auth': moved((m) => {
    account(m).auth = 'mcp';
  }),
  '/accounts/*/authorizeUrl': moved((m) => {
    account(m).authorizeUrl = `${AUTH}/other`;
  }),
  '/accounts/*/tokenUrl': moved((m) => {
    account(m).tokenUrl = `${AUTH}/other`;
  }),
  '/accounts/*/revokeUrl': moved((m) => void delete account(m).revokeUrl),
  '/accounts/*/clientId': moved((m) => {
    account(m).clientId = 'client-2';
  }),
  '/accounts/*/scopes/*': grows((m) => void account(m).scopes.push('delete')),
  '/accounts/*/required': free((m) => {
    account(m).required = false;
  }),
  '/accounts/*/params/*': moved((m) => {
    account(m).params = { audience: 'everything' };
  }),
  '/requires': free((m) => {
    // The list did not exist before, and optional entries require nothing.
    requires(m).optional = [];
  }),
  '/requires/providers/*': shrinks((m) => {
    requires(m).providers = ['svc-chat'];
  }),
  '/requires/apps/*': grows((m) => void requires(m).apps?.push({ id: 'computer-use', reason: 'It clicks.' })),
  '/requires/apps/*/id': moved((m) => {
    first(requires(m).apps).id = 'computer-use';
  }),
  '/requires/apps/*/reason': free((m) => {
    first(requires(m).apps).reason = 'Another reason.';
  }),
  '/requires/connectors/*': grows(
    (m) => void requires(m).connectors?.push({ url: 'https://other.example/mcp', reason: 'It sorts.' }),
  ),
  '/requires/connectors/*/url': moved((m) => {
    connector(m).url = 'https://other.example/mcp';
  }),
  '/requires/connectors/*/reason': free((m) => {
    connector(m).reason = 'Another reason.';
  }),
  '/requires/connectors/*/required': grows((m) => {
    connector(m).required = true;
  }),
  '/requires/optional/*': free(
    (m) => void requires(m).optional?.push({ url: 'https://some.example/mcp', reason: 'It helps.' }),
  ),
  '/requires/optional/*/id': free((m) => void Object.assign(optional(m), { id: 'computer-use' })),
  '/requires/optional/*/url': free(
    (m) => void requires(m).optional?.splice(0, 1, { url: 'https://some.example/mcp', reason: 'It helps.' }),
  ),
  '/requires/optional/*/reason': free((m) => {
    optional(m).reason = 'Another reason.';
  }),
  '/contributes/tools/*': {
    ...steers(
      (m) => void m.contributes.tools?.push({ id: 'find', name: 'Find', description: 'Finds letters.' }),
    ),
    back: 'passes',
  },
  '/contributes/tools/*/id': steers((m) => {
    list(m).id = 'show';
  }),
  '/contributes/tools/*/remoteName': steers((m) => {
    list(m).remoteName = 'show-all';
  }),
  '/contributes/tools/*/name': steers((m) => {
    list(m).name = 'Show';
  }),
  '/contributes/tools/*/description': steers((m) => {
    list(m).description = 'Shows letters.';
  }),
  '/contributes/tools/*/account': grows((m) => {
    list(m).account = 'mail';
  }),
  '/contributes/tools/*/confirm': shrinks((m) => {
    list(m).confirm = { title: 'List them?' };
  }),
  '/contributes/tools/*/confirm/title': face((m) => {
    confirm(m).title = 'Read it?';
  }),
  '/contributes/tools/*/confirm/body': face((m) => void delete confirm(m).body),
  '/contributes/tools/*/confirm/action': face((m) => {
    confirm(m).action = 'Read';
  }),
  '/contributes/tools/*/files/*': grows((m) => {
    send(m).files = { body: body(m), copy: {} };
  }),
  '/contributes/tools/*/files/*/accept/*': grows((m) => {
    body(m).accept = ['image/*'];
  }),
  '/contributes/tools/*/files/*/multiple': grows((m) => {
    body(m).multiple = true;
  }),
  '/contributes/tools/*/files/*/maxBytes': grows((m) => {
    body(m).maxBytes = 1001;
  }),
  '/contributes/tools/*/files/*/prepare': grows((m) => void delete body(m).prepare),
  '/contributes/panels/*': free(
    (m) => void m.contributes.panels?.push({ id: 'more', title: 'More', component: 'webview' }),
  ),
  '/contributes/panels/*/id': free((m) => {
    panel(m).id = 'other';
  }),
  '/contributes/panels/*/title': free((m) => {
    panel(m).title = 'Post';
  }),
  '/contributes/panels/*/icon': free((m) => void delete panel(m).icon),
  '/contributes/panels/*/config': free((m) => void delete panel(m).config),
  '/contributes/panels/*/config/entry': free((m) => {
    panel(m).config = { entry: 'ui/other.html' };
  }),
  '/contributes/panels/*/views/*': free((m) => void panel(m).views?.push({ id: 'new', label: 'New' })),
  '/contributes/panels/*/views/*/id': free((m) => {
    first(panel(m).views).id = 'every';
  }),
  '/contributes/panels/*/views/*/label': free((m) => {
    first(panel(m).views).label = 'Every';
  }),
  '/contributes/settings/*': free(
    (m) => void m.contributes.settings?.push({ id: 'more', label: 'More', type: 'boolean' }),
  ),
  '/contributes/settings/*/id': free((m) => {
    setting(m).id = 'voice';
  }),
  '/contributes/settings/*/label': free((m) => {
    setting(m).label = 'Voice';
  }),
  '/contributes/settings/*/type': free((m) => {
    setting(m).type = 'string';
  }),
  '/contributes/settings/*/default': free((m) => {
    setting(m).default = 'cold';
  }),
  '/contributes/settings/*/options/*': free((m) => {
    setting(m).options = ['warm'];
  }),
};

/** The full manifest with one field changed. */
export function mutated({ change }: Mutation): Manifest {
  const manifest = structuredClone(fullManifest());
  change(manifest);
  return manifest;
}
