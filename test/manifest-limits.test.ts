import { sampleManifest } from '@svc/testkit';
import { type Code, validateManifest } from '@svc/validator';
import { expect, it } from 'vitest';

/** A manifest as JSON has it: of any shape. */
// biome-ignore lint/suspicious/noExplicitAny: each row writes what types forbid.
type Loose = any;

/** A code that the change leads to; null when it leads to none. */
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

/** Sets one value, at a path of names with dots between them. */
const set =
  (path: string, value: unknown) =>
  (m: Loose): void => {
    const names = path.split('.');
    const last = names.pop() ?? '';
    names.reduce((at, name) => at[name], m)[last] = value;
  };

/** Each limit of the manifest from both sides, and each rule that a value can break. */
const ROWS: Row[] = [
  ['base', () => {}, null],
  ['name40', set('name', rep(40)), null],
  ['name41', set('name', rep(41)), 'name.missing'],
  ['desc400', set('description', rep(400)), null],
  ['desc401', set('description', rep(401)), 'description.missing'],
  ['perm200', set('permissions', ['Reads the files you hand to it (files:receive).', rep(200)]), null],
  [
    'perm201',
    set('permissions', ['Reads the files you hand to it (files:receive).', rep(201)]),
    'permissions.format',
  ],
  ['support mailto', set('support', 'mailto:a@example.com'), null],
  ['support ftp', set('support', 'ftp://x.example'), 'support.url'],
  ['homepage http', set('homepage', 'http://x.example'), 'homepage.url'],
  ['platforms []', set('platforms', []), 'platforms.format'],
  ['platforms dup', set('platforms', ['linux', 'linux']), 'platforms.format'],
  ['platforms x', set('platforms', ['bsd']), 'platforms.unknown'],
  ['arch x', set('arch', ['mips']), 'arch.unknown'],
  ['arch []', set('arch', []), 'arch.format'],
  ['id64', set('id', `com.${rep(60)}`), null],
  ['id65', set('id', `com.${rep(61)}`), 'id.format'],
  ['id1', set('id', 'hello'), 'id.format'],
  ['id builtin', set('id', 'browser-use'), 'id.reserved'],
  ['version pre', set('version', '1.0.0-beta.1'), null],
  ['version 1.0', set('version', '1.0'), 'version.format'],
  ['publisher40', set('publisher', rep(40)), null],
  ['publisher41', set('publisher', rep(41)), 'publisher.missing'],
  ['cat 3', set('categories', ['media', 'design', 'data']), null],
  ['cat 4', set('categories', ['media', 'design', 'data', 'sales']), 'categories.format'],
  [
    'domains20',
    set(
      'remote.domains',
      Array.from({ length: 20 }, (_, i) => `h${i}.example.com`),
    ),
    null,
  ],
  [
    'domains21',
    set(
      'remote.domains',
      Array.from({ length: 21 }, (_, i) => `h${i}.example.com`),
    ),
    'remote.domains.count',
  ],
  ['dom *', set('remote.domains', ['*']), 'remote.domain.broad'],
  ['dom *.com', set('remote.domains', ['*.com']), 'remote.domain.broad'],
  ['dom *.example.com', set('remote.domains', ['*.example.com']), null],
  ['dom port', set('remote.domains', ['a.example.com:1']), 'remote.domain'],
  [
    'dom missing',
    (m) => {
      delete m.remote.domains;
    },
    'remote.missing',
  ],
  ['mcpUrl http', set('remote.mcpUrl', 'http://x.example/mcp'), 'remote.url'],
  ['accounts label40', set('accounts', [acc({ label: rep(40) })]), null],
  ['label41', set('accounts', [acc({ label: rep(41) })]), 'accounts.label'],
  ['clientId200', set('accounts', [acc({ clientId: rep(200) })]), null],
  ['clientId201', set('accounts', [acc({ clientId: rep(201) })]), 'accounts.clientId'],
  ['acc mcp', set('accounts', [{ id: 'main', label: 'M', auth: 'mcp', scopes: [] }]), null],
  ['acc params reserved', set('accounts', [acc({ params: { state: 'x' } })]), 'accounts.params.reserved'],
  ['acc params num', set('accounts', [acc({ params: { a: 1 } })]), 'accounts.params'],
  ['acc noscopes', set('accounts', [acc({ scopes: undefined })]), 'accounts.scopes'],
  ['acc auth', set('accounts', [acc({ auth: 'x' })]), 'accounts.auth'],
  ['acc id', set('accounts', [acc({ id: '1a' })]), 'accounts.id'],
  ['acc dup', set('accounts', [acc(), acc()]), 'accounts.duplicate'],
  ['revoke http', set('accounts', [acc({ revokeUrl: 'http://x.example' })]), 'accounts.revokeUrl'],
  ['tool id48', set('contributes', { tools: [tool({ id: rep(48) })] }), null],
  ['tool id49', set('contributes', { tools: [tool({ id: rep(49) })] }), 'tools.id'],
  ['tool name60', set('contributes', { tools: [tool({ name: rep(60) })] }), null],
  ['tool name61', set('contributes', { tools: [tool({ name: rep(61) })] }), 'tools.name'],
  ['tool desc1024', set('contributes', { tools: [tool({ description: rep(1024) })] }), null],
  ['tool desc1025', set('contributes', { tools: [tool({ description: rep(1025) })] }), 'tools.description'],
  ['confirm120', set('contributes', { tools: [tool({ confirm: { title: rep(120) } })] }), null],
  ['confirm121', set('contributes', { tools: [tool({ confirm: { title: rep(121) } })] }), 'tools.confirm'],
  ['tool account', set('contributes', { tools: [tool({ account: 'nope' })] }), 'tools.account'],
  ['maxBytes1', filetool({ maxBytes: 1 }), null],
  ['maxBytes max', filetool({ maxBytes: 20971520 }), null],
  ['maxBytes max+1', filetool({ maxBytes: 20971521 }), 'tools.files.maxBytes'],
  ['maxBytes0', filetool({ maxBytes: 0 }), 'tools.files.maxBytes'],
  ['accept', filetool({ accept: ['image/*', 'text/plain'] }), null],
  ['accept bad', filetool({ accept: ['image'] }), 'tools.files.accept'],
  ['resize none', filetool({ prepare: { op: 'resize' } }), 'media.resize'],
  ['resize', filetool({ prepare: { op: 'resize', width: 100 } }), null],
  ['crop', filetool({ prepare: { op: 'crop', width: 1 } }), 'media.crop'],
  ['crop aspect', filetool({ prepare: { op: 'crop', aspect: '1:1' } }), null],
  ['aspect', filetool({ prepare: { op: 'crop', aspect: '1x1' } }), 'media.aspect'],
  ['quality100', filetool({ prepare: { op: 'compress', quality: 100 } }), null],
  ['quality101', filetool({ prepare: { op: 'compress', quality: 101 } }), 'media.quality'],
  ['targetKb10', filetool({ prepare: { op: 'compress', targetKb: 10 } }), null],
  ['targetKb9', filetool({ prepare: { op: 'compress', targetKb: 9 } }), 'media.targetKb'],
  ['compress', filetool({ prepare: { op: 'compress' } }), 'media.compress'],
  ['trim', filetool({ prepare: { op: 'trim', start: 0, end: 600 } }), null],
  ['trim601', filetool({ prepare: { op: 'trim', start: 0, end: 601 } }), 'media.time'],
  ['trim range', filetool({ prepare: { op: 'trim', start: 5, end: 5 } }), 'media.trim.range'],
  ['trim none', filetool({ prepare: { op: 'trim' } }), 'media.trim'],
  ['offset16384', filetool({ prepare: { op: 'crop', width: 1, height: 1, x: 16384, y: 0 } }), null],
  ['offset16385', filetool({ prepare: { op: 'crop', width: 1, height: 1, x: 16385, y: 0 } }), 'media.offset'],
  ['fit', filetool({ prepare: { op: 'resize', width: 1, fit: 'x' } }), 'media.fit'],
  ['gravity', filetool({ prepare: { op: 'resize', width: 1, gravity: 'up' } }), 'media.gravity'],
  ['convert', filetool({ prepare: { op: 'convert' } }), 'media.convert'],
  ['op', filetool({ prepare: { op: 'zz' } }), 'media.op'],
  ['panel id40', set('contributes', { panels: [{ id: rep(40), title: 'T', component: 'webview' }] }), null],
  [
    'panel id41',
    set('contributes', { panels: [{ id: rep(41), title: 'T', component: 'webview' }] }),
    'panels.id',
  ],
  [
    'panel title41',
    set('contributes', { panels: [{ id: 'a', title: rep(41), component: 'webview' }] }),
    'panels.title',
  ],
  ['comp', set('contributes', { panels: [{ id: 'a', title: 't', component: 'x' }] }), 'panels.component'],
  ['req builtin', set('requires', { apps: [{ id: 'media', reason: 'r' }] }), null],
  ['req gh', set('requires', { apps: [{ id: 'gh-x.y', reason: 'r' }] }), 'requires.id'],
  ['req local', set('requires', { apps: [{ id: 'local.x', reason: 'r' }] }), 'requires.id'],
  ['self', set('requires', { apps: [{ id: 'com.example.notes', reason: 'r' }] }), 'requires.self'],
  [
    'dup',
    set('requires', {
      apps: [
        { id: 'media', reason: 'r' },
        { id: 'media', reason: 'r' },
      ],
    }),
    'requires.duplicate',
  ],
  ['reason200', set('requires', { apps: [{ id: 'media', reason: rep(200) }] }), null],
  ['reason201', set('requires', { apps: [{ id: 'media', reason: rep(201) }] }), 'requires.reason'],
  [
    'conn',
    set('requires', { connectors: [{ url: 'https://c.example.com/mcp', reason: 'r', required: true }] }),
    null,
  ],
  [
    'conn http',
    set('requires', { connectors: [{ url: 'http://c.example.com/mcp', reason: 'r' }] }),
    'requires.url',
  ],
  [
    'conn required',
    set('requires', { connectors: [{ url: 'https://c.example.com/mcp', reason: 'r', required: 'x' }] }),
    'requires.required',
  ],
  [
    'opt both',
    set('requires', { optional: [{ id: 'media', url: 'https://c.example.com/mcp', reason: 'r' }] }),
    'requires.optional.kind',
  ],
  [
    'req 11',
    set('requires', { apps: Array.from({ length: 11 }, (_, i) => ({ id: `com.x${i}`, reason: 'r' })) }),
    'requires.count',
  ],
  [
    'req 10',
    set('requires', { apps: Array.from({ length: 10 }, (_, i) => ({ id: `com.x${i}`, reason: 'r' })) }),
    null,
  ],
  ['github', set('requires', { apps: [{ github: 'a/b', reason: 'r' }] }), 'requires.github.store'],
  [
    'apps.url',
    set('requires', { apps: [{ url: 'https://c.example.com', reason: 'r' }] }),
    'requires.apps.url',
  ],
  ['accent', set('branding.accent', '#ABCDEF'), null],
  ['accent3', set('branding.accent', '#ABC'), 'branding.accent'],
  [
    'shots9',
    set(
      'branding.screenshots',
      Array.from({ length: 9 }, (_, i) => `assets/${i}.png`),
    ),
    'branding.screenshots',
  ],
  ['icon ..', set('branding.icon', '../x.png'), 'branding.icon'],
  ['grant unknown', set('grants', ['foo']), 'grants.unknown'],
  ['grant exec', set('grants', ['exec']), 'grants.level'],
  ['server', set('server', {}), 'remote.and-server'],
  ['api 2', set('pluginApiVersion', 2), 'manifest.api-version-store'],
  ['api 4', set('pluginApiVersion', 4), 'manifest.api-version'],
  ['activation', set('activation', 'always'), 'level.activation'],
  ['secrets', set('contributes', { secrets: [] }), 'level.secrets'],
  ['settings', set('contributes', { settings: {} }), 'settings.format'],
  ['network', set('network', { domains: ['a.example.com'] }), 'network.store'],
  ['noperm', set('permissions', []), 'permissions.empty'],
  [
    'contributes',
    (m) => {
      delete m.contributes;
    },
    'contributes.missing',
  ],
  ['prov', set('requires', { providers: ['zzz'] }), 'requires.format'],
];

it.each(ROWS)('%s', (_, edit, code) => {
  const manifest: Loose = structuredClone(sampleManifest());
  edit(manifest);
  const errors = validateManifest(manifest, { mode: 'store' }).filter(({ level }) => level === 'error');
  if (code === null) expect(errors).toEqual([]);
  else expect(errors.map((issue) => issue.code)).toContain(code);
});
