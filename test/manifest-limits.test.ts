import { sampleManifest } from '@svc/testkit';
import { type Code, validateManifest } from '@svc/validator';
import { expect, it } from 'vitest';

/** A manifest of any shape, as JSON allows. */
// biome-ignore lint/suspicious/noExplicitAny: the rows set values that the types forbid
type Loose = any;

/** A name, a change of a valid manifest, and the expected code; null for a valid manifest. */
type Row = [label: string, edit: (m: Loose) => void, code: Code | null];

const rep = (length: number): string => 'a'.repeat(length);
const acc = (fields: object = {}) => ({
  ...{ id: 'main', label: 'Main', clientId: 'c', scopes: [] },
  ...{ authorizeUrl: 'https://a.example.com/a', tokenUrl: 'https://a.example.com/t' },
  ...fields,
});
const tool = (fields: object = {}) => ({ id: 'do_it', name: 'Do it', description: 'Does it.', ...fields });
const filetool =
  (rule: object) =>
  (m: Loose): void => {
    m.grants = ['files:receive', 'host:media'];
    m.permissions = ['Receives files (files:receive) and media (host:media).'];
    m.contributes = { tools: [tool({ files: { f: rule } })] };
  };

/** Sets the value at a path of names that are separated by dots. */
const set =
  (path: string, value: unknown) =>
  (m: Loose): void => {
    const names = path.split('.');
    const last = names.pop() ?? '';
    names.reduce((at, name) => at[name], m)[last] = value;
  };

/** Each limit of the manifest from both sides, and each rule for a value. */
const ROWS: Row[] = [
  ['the sample manifest', () => {}, null],
  ['a name of 40 characters', set('name', rep(40)), null],
  ['a name of 41 characters', set('name', rep(41)), 'name.missing'],
  ['a description of 400 characters', set('description', rep(400)), null],
  ['a description of 401 characters', set('description', rep(401)), 'description.missing'],
  [
    'a permission of 200 characters',
    set('permissions', ['Reads the files you hand to it (files:receive).', rep(200)]),
    null,
  ],
  [
    'a permission of 201 characters',
    set('permissions', ['Reads the files you hand to it (files:receive).', rep(201)]),
    'permissions.format',
  ],
  ['a mailto URL for support', set('support', 'mailto:a@example.com'), null],
  [
    'a name of 128 characters on the server',
    set('contributes', { tools: [tool({ remoteName: `Resolve_Library-1.${rep(110)}` })] }),
    null,
  ],
  [
    'a name of 129 characters on the server',
    set('contributes', { tools: [tool({ remoteName: rep(129) })] }),
    'tools.remoteName',
  ],
  [
    'an empty name on the server',
    set('contributes', { tools: [tool({ remoteName: '' })] }),
    'tools.remoteName',
  ],
  [
    'null as name on the server',
    set('contributes', { tools: [tool({ remoteName: null })] }),
    'tools.remoteName',
  ],
  [
    'two tools with one name on the server',
    set('contributes', {
      tools: [tool({ confirm: { title: 'Sure?' } }), tool({ id: 'other', remoteName: 'do_it' })],
    }),
    'tools.remoteName',
  ],
  [
    'two tools that swap their names on the server',
    set('contributes', {
      tools: [tool({ remoteName: 'other' }), tool({ id: 'other', remoteName: 'do_it' })],
    }),
    null,
  ],
  ['an ftp URL for support', set('support', 'ftp://x.example'), 'support.url'],
  ['an http URL as homepage', set('homepage', 'http://x.example'), 'homepage.url'],
  ['an empty list of platforms', set('platforms', []), 'platforms.format'],
  ['a duplicate platform', set('platforms', ['linux', 'linux']), 'platforms.format'],
  ['an unknown platform', set('platforms', ['bsd']), 'platforms.unknown'],
  ['an unknown architecture', set('arch', ['mips']), 'arch.unknown'],
  ['an empty list of architectures', set('arch', []), 'arch.format'],
  ['an id of 64 characters', set('id', `com.${rep(60)}`), null],
  ['an id of 65 characters', set('id', `com.${rep(61)}`), 'id.format'],
  ['an id of one part', set('id', 'hello'), 'id.format'],
  ['the id of a built-in app', set('id', 'browser-use'), 'id.reserved'],
  ['a prerelease version', set('version', '1.0.0-beta.1'), null],
  ['a version of two numbers', set('version', '1.0'), 'version.format'],
  ['a publisher of 40 characters', set('publisher', rep(40)), null],
  ['a publisher of 41 characters', set('publisher', rep(41)), 'publisher.missing'],
  ['three categories', set('categories', ['media', 'design', 'data']), null],
  ['four categories', set('categories', ['media', 'design', 'data', 'sales']), 'categories.format'],
  [
    '20 domains',
    set(
      'remote.domains',
      Array.from({ length: 20 }, (_, i) => `h${i}.example.com`),
    ),
    null,
  ],
  [
    '21 domains',
    set(
      'remote.domains',
      Array.from({ length: 21 }, (_, i) => `h${i}.example.com`),
    ),
    'remote.domains.count',
  ],
  ['the domain *', set('remote.domains', ['*']), 'remote.domain.broad'],
  ['the domain *.com', set('remote.domains', ['*.com']), 'remote.domain.broad'],
  ['the domain *.example.com', set('remote.domains', ['*.example.com']), null],
  ['a domain with a port', set('remote.domains', ['a.example.com:1']), 'remote.domain'],
  [
    'no list of domains',
    (m) => {
      delete m.remote.domains;
    },
    'remote.missing',
  ],
  ['an http mcpUrl', set('remote.mcpUrl', 'http://x.example/mcp'), 'remote.url'],
  ['an account label of 40 characters', set('accounts', [acc({ label: rep(40) })]), null],
  ['an account label of 41 characters', set('accounts', [acc({ label: rep(41) })]), 'accounts.label'],
  ['a clientId of 0 characters', set('accounts', [acc({ clientId: '' })]), 'accounts.clientId'],
  ['a clientId of 1 character', set('accounts', [acc({ clientId: 'c' })]), null],
  ['a clientId of 200 characters', set('accounts', [acc({ clientId: rep(200) })]), null],
  ['a clientId of 201 characters', set('accounts', [acc({ clientId: rep(201) })]), 'accounts.clientId'],
  [
    'an account of the MCP server',
    set('accounts', [{ id: 'main', label: 'M', auth: 'mcp', scopes: [] }]),
    null,
  ],
  [
    'a reserved parameter of an account',
    set('accounts', [acc({ params: { state: 'x' } })]),
    'accounts.params.reserved',
  ],
  ['a number as parameter of an account', set('accounts', [acc({ params: { a: 1 } })]), 'accounts.params'],
  ['an account without scopes', set('accounts', [acc({ scopes: undefined })]), 'accounts.scopes'],
  ['an unknown auth of an account', set('accounts', [acc({ auth: 'x' })]), 'accounts.auth'],
  ['an account id that starts with a digit', set('accounts', [acc({ id: '1a' })]), 'accounts.id'],
  ['two accounts with the same id', set('accounts', [acc(), acc()]), 'accounts.duplicate'],
  ['an http revokeUrl', set('accounts', [acc({ revokeUrl: 'http://x.example' })]), 'accounts.revokeUrl'],
  ['a tool id of 48 characters', set('contributes', { tools: [tool({ id: rep(48) })] }), null],
  ['a tool id of 49 characters', set('contributes', { tools: [tool({ id: rep(49) })] }), 'tools.id'],
  ['a tool name of 60 characters', set('contributes', { tools: [tool({ name: rep(60) })] }), null],
  ['a tool name of 61 characters', set('contributes', { tools: [tool({ name: rep(61) })] }), 'tools.name'],
  [
    'a tool description of 1,024 characters',
    set('contributes', { tools: [tool({ description: rep(1024) })] }),
    null,
  ],
  [
    'a tool description of 1,025 characters',
    set('contributes', { tools: [tool({ description: rep(1025) })] }),
    'tools.description',
  ],
  [
    'a confirm title of 120 characters',
    set('contributes', { tools: [tool({ confirm: { title: rep(120) } })] }),
    null,
  ],
  [
    'a confirm title of 121 characters',
    set('contributes', { tools: [tool({ confirm: { title: rep(121) } })] }),
    'tools.confirm',
  ],
  [
    'a tool with an unknown account',
    set('contributes', { tools: [tool({ account: 'nope' })] }),
    'tools.account',
  ],
  ['maxBytes of 1', filetool({ maxBytes: 1 }), null],
  ['maxBytes of 20 MiB', filetool({ maxBytes: 20971520 }), null],
  ['maxBytes of 20 MiB + 1 byte', filetool({ maxBytes: 20971521 }), 'tools.files.maxBytes'],
  ['maxBytes of 0', filetool({ maxBytes: 0 }), 'tools.files.maxBytes'],
  ['accept with media types', filetool({ accept: ['image/*', 'text/plain'] }), null],
  ['accept with an invalid media type', filetool({ accept: ['image'] }), 'tools.files.accept'],
  ['resize without a size', filetool({ prepare: { op: 'resize' } }), 'media.resize'],
  ['resize to a width', filetool({ prepare: { op: 'resize', width: 100 } }), null],
  ['crop without a height', filetool({ prepare: { op: 'crop', width: 1 } }), 'media.crop'],
  ['crop to an aspect', filetool({ prepare: { op: 'crop', aspect: '1:1' } }), null],
  ['an invalid aspect', filetool({ prepare: { op: 'crop', aspect: '1x1' } }), 'media.aspect'],
  ['a quality of 100', filetool({ prepare: { op: 'compress', quality: 100 } }), null],
  ['a quality of 101', filetool({ prepare: { op: 'compress', quality: 101 } }), 'media.quality'],
  ['a targetKb of 10', filetool({ prepare: { op: 'compress', targetKb: 10 } }), null],
  ['a targetKb of 9', filetool({ prepare: { op: 'compress', targetKb: 9 } }), 'media.targetKb'],
  ['compress without a target', filetool({ prepare: { op: 'compress' } }), 'media.compress'],
  ['trim to 600 seconds', filetool({ prepare: { op: 'trim', start: 0, end: 600 } }), null],
  ['trim to 601 seconds', filetool({ prepare: { op: 'trim', start: 0, end: 601 } }), 'media.time'],
  ['trim to an empty range', filetool({ prepare: { op: 'trim', start: 5, end: 5 } }), 'media.trim.range'],
  ['trim without times', filetool({ prepare: { op: 'trim' } }), 'media.trim'],
  ['an offset of 16,384', filetool({ prepare: { op: 'crop', width: 1, height: 1, x: 16384, y: 0 } }), null],
  [
    'an offset of 16,385',
    filetool({ prepare: { op: 'crop', width: 1, height: 1, x: 16385, y: 0 } }),
    'media.offset',
  ],
  ['an unknown fit', filetool({ prepare: { op: 'resize', width: 1, fit: 'x' } }), 'media.fit'],
  ['an unknown gravity', filetool({ prepare: { op: 'resize', width: 1, gravity: 'up' } }), 'media.gravity'],
  ['convert without a format', filetool({ prepare: { op: 'convert' } }), 'media.convert'],
  ['an unknown op', filetool({ prepare: { op: 'zz' } }), 'media.op'],
  [
    'a panel id of 40 characters',
    set('contributes', { panels: [{ id: rep(40), title: 'T', component: 'webview' }] }),
    null,
  ],
  [
    'a panel id of 41 characters',
    set('contributes', { panels: [{ id: rep(41), title: 'T', component: 'webview' }] }),
    'panels.id',
  ],
  [
    'a panel title of 41 characters',
    set('contributes', { panels: [{ id: 'a', title: rep(41), component: 'webview' }] }),
    'panels.title',
  ],
  [
    'an unknown component of a panel',
    set('contributes', { panels: [{ id: 'a', title: 't', component: 'x' }] }),
    'panels.component',
  ],
  ['a required built-in app', set('requires', { apps: [{ id: 'media', reason: 'r' }] }), null],
  [
    'a required app with the prefix gh-',
    set('requires', { apps: [{ id: 'gh-x.y', reason: 'r' }] }),
    'requires.id',
  ],
  [
    'a required app with the prefix local.',
    set('requires', { apps: [{ id: 'local.x', reason: 'r' }] }),
    'requires.id',
  ],
  [
    'an app that requires itself',
    set('requires', { apps: [{ id: 'com.example.notes', reason: 'r' }] }),
    'requires.self',
  ],
  [
    'a required app twice',
    set('requires', {
      apps: [
        { id: 'media', reason: 'r' },
        { id: 'media', reason: 'r' },
      ],
    }),
    'requires.duplicate',
  ],
  ['a reason of 200 characters', set('requires', { apps: [{ id: 'media', reason: rep(200) }] }), null],
  [
    'a reason of 201 characters',
    set('requires', { apps: [{ id: 'media', reason: rep(201) }] }),
    'requires.reason',
  ],
  [
    'a required connector',
    set('requires', { connectors: [{ url: 'https://c.example.com/mcp', reason: 'r', required: true }] }),
    null,
  ],
  [
    'a required connector with an http URL',
    set('requires', { connectors: [{ url: 'http://c.example.com/mcp', reason: 'r' }] }),
    'requires.url',
  ],
  [
    'a connector with an invalid required',
    set('requires', { connectors: [{ url: 'https://c.example.com/mcp', reason: 'r', required: 'x' }] }),
    'requires.required',
  ],
  [
    'an optional requirement with an id and a URL',
    set('requires', { optional: [{ id: 'media', url: 'https://c.example.com/mcp', reason: 'r' }] }),
    'requires.optional.kind',
  ],
  [
    '11 required apps',
    set('requires', { apps: Array.from({ length: 11 }, (_, i) => ({ id: `com.x${i}`, reason: 'r' })) }),
    'requires.count',
  ],
  [
    'ten required apps',
    set('requires', { apps: Array.from({ length: 10 }, (_, i) => ({ id: `com.x${i}`, reason: 'r' })) }),
    null,
  ],
  [
    'a required app on GitHub',
    set('requires', { apps: [{ github: 'a/b', reason: 'r' }] }),
    'requires.github.store',
  ],
  [
    'a required app with a URL',
    set('requires', { apps: [{ url: 'https://c.example.com', reason: 'r' }] }),
    'requires.apps.url',
  ],
  ['an accent of six digits', set('branding.accent', '#ABCDEF'), null],
  ['an accent of three digits', set('branding.accent', '#ABC'), 'branding.accent'],
  [
    'nine screenshots',
    set(
      'branding.screenshots',
      Array.from({ length: 9 }, (_, i) => `assets/${i}.png`),
    ),
    'branding.screenshots',
  ],
  ['an icon outside the bundle', set('branding.icon', '../x.png'), 'branding.icon'],
  ['an unknown grant', set('grants', ['foo']), 'grants.unknown'],
  ['the grant exec', set('grants', ['exec']), 'grants.level'],
  ['a server next to remote', set('server', {}), 'remote.and-server'],
  ['pluginApiVersion 2', set('pluginApiVersion', 2), 'manifest.api-version-store'],
  ['pluginApiVersion 4', set('pluginApiVersion', 4), 'manifest.api-version'],
  ['an activation', set('activation', 'always'), 'level.activation'],
  ['secrets', set('contributes', { secrets: [] }), 'level.secrets'],
  ['settings that are not a list', set('contributes', { settings: {} }), 'settings.format'],
  ['a network', set('network', { domains: ['a.example.com'] }), 'network.store'],
  ['no permissions', set('permissions', []), 'permissions.empty'],
  [
    'no contributes',
    (m) => {
      delete m.contributes;
    },
    'contributes.missing',
  ],
  ['an unknown provider', set('requires', { providers: ['zzz'] }), 'requires.format'],
];

it.each(ROWS)('%s', (_, edit, code) => {
  const manifest: Loose = structuredClone(sampleManifest());
  edit(manifest);
  const errors = validateManifest(manifest, { mode: 'store' }).filter(({ level }) => level === 'error');
  if (code === null) expect(errors).toEqual([]);
  else expect(errors.map((issue) => issue.code)).toContain(code);
});
