import type { ManifestPatch, Mode } from '../src/rule.ts';
import type { Code } from '../src/rules/index.ts';

/** A fault with one correct fix: its code, the fields of the example manifest with the fault, and the same fields fixed. */
type Fixed = readonly [code: Code, broken: ManifestPatch, fixed: ManifestPatch, mode?: Mode];

const mcpUrl = 'https://mcp.example.com/mcp';
const reason = 'Draws.';
const grants = ['files:receive', 'host:media'];
const local = { remote: undefined, grants: ['network'] };

const account = (fields: object): ManifestPatch => ({
  accounts: [
    {
      id: 'notes',
      label: 'Notes',
      authorizeUrl: 'https://login.example.com/authorize',
      tokenUrl: 'https://login.example.com/token',
      clientId: 'notes-app',
      scopes: [],
      ...fields,
    },
  ],
});
const panel = (fields: object): ManifestPatch => ({
  contributes: { panels: [{ id: 'main', title: 'Main', component: 'webview', ...fields }] },
});
const file = (rule: object): ManifestPatch => ({
  contributes: { tools: [{ id: 'find', name: 'Find', description: 'Finds.', files: { image: rule } }] },
  grants,
});
const media = (request: object) => file({ prepare: request });
const branding = (fields: object): ManifestPatch => ({ branding: { icon: 'assets/icon.svg', ...fields } });
const domains = (...list: string[]): ManifestPatch => ({ remote: { mcpUrl, domains: list } });
const app = { id: 'com.example.charts', reason };
const connector = { url: 'https://charts.example.com/mcp', reason };

const identity: readonly Fixed[] = [
  ['manifest.api-version', { pluginApiVersion: '3' }, { pluginApiVersion: 3 }],
  ['manifest.api-version', { pluginApiVersion: ' 2 ' }, { pluginApiVersion: 3 }],
  ['manifest.api-version', { pluginApiVersion: ' 2 ' }, { pluginApiVersion: 2 }, 'dev'],
  ['manifest.api-version', { pluginApiVersion: undefined }, { pluginApiVersion: 3 }],
  ['manifest.api-version-store', { pluginApiVersion: 1 }, { pluginApiVersion: 3 }],
  ['id.format', { id: 'Com.Example.Notes' }, { id: 'com.example.notes' }],
  ['id.format', { id: ' com.example.notes\n' }, { id: 'com.example.notes' }],
  ['version.format', { version: 'v1.2.3' }, { version: '1.2.3' }],
  ['version.format', { version: ' 1.2.3 ' }, { version: '1.2.3' }],
  ['version.format', { version: '1.2' }, { version: '1.2.0' }],
  ['version.format', { version: '2' }, { version: '2.0.0' }],
  ['version.format', { version: 'V1.0-beta.1+5' }, { version: '1.0.0-beta.1+5' }],
  ['permissions.format', { permissions: 'Reads.' }, { permissions: ['Reads.'] }],
  ['contributes.missing', { contributes: undefined }, { contributes: {} }],
  ['homepage.url', { homepage: 'example.com/x' }, { homepage: 'https://example.com/x' }],
  ['homepage.url', { homepage: ' https://example.com' }, { homepage: 'https://example.com' }],
  ['support.url', { support: 'help@example.com' }, { support: 'mailto:help@example.com' }],
  ['support.url', { support: 'Mailto: help@example.com' }, { support: 'mailto:help@example.com' }],
  ['support.url', { support: 'help.example.com' }, { support: 'https://help.example.com' }],
  ['level.activation', { activation: 'always' }, {}],
];

const reach: readonly Fixed[] = [
  ['grants.unknown', { grants: ['Host:Media'] }, { grants: ['host:media'] }],
  ['remote.url', { remote: { mcpUrl: ` ${mcpUrl}\n`, domains: [] } }, { remote: { mcpUrl, domains: [] } }],
  ['remote.domain', domains('https://API.example.com/'), domains('api.example.com')],
  ['remote.domain', domains('api.example.com.'), domains('api.example.com')],
  ['remote.domain', domains('api.example.com:443'), domains('api.example.com')],
  ['remote.domain', domains('https://*.example.com:443/'), domains('*.example.com')],
  [
    'network.domain',
    { ...local, network: { domains: ['http://localhost:80/', 'api.example.com/'] } },
    { ...local, network: { domains: ['localhost', 'api.example.com'] } },
    'dev',
  ],
  ['accounts.item', account({ required: 'true' }), account({ required: true })],
  ['accounts.auth', account({ auth: ' MCP' }), account({ auth: 'mcp' })],
  ['accounts.scopes', account({ scopes: 'read  write' }), account({ scopes: ['read', 'write'] })],
  [
    'accounts.params',
    account({ params: { max_age: 60, a: true } }),
    account({ params: { max_age: '60', a: 'true' } }),
  ],
  ...(['authorizeUrl', 'tokenUrl', 'revokeUrl'] as const).map(
    (field): Fixed => [
      `accounts.${field}`,
      account({ [field]: ' https://login.example.com/x ' }),
      account({ [field]: 'https://login.example.com/x' }),
    ],
  ),
  [
    'requires.format',
    { requires: { providers: ['Claude Code', 'gemini'] } },
    { requires: { providers: ['claude-code', 'gemini-cli'] } },
  ],
  ['requires.duplicate', { requires: { apps: [app, app] } }, { requires: { apps: [app] } }],
  [
    'requires.id',
    { requires: { apps: [{ ...app, id: 'Browser_Use' }] } },
    { requires: { apps: [{ ...app, id: 'browser-use' }] } },
  ],
  [
    'requires.id',
    { requires: { apps: [{ ...app, id: 'Com.Example.charts' }] } },
    { requires: { apps: [app] } },
  ],
  [
    'requires.github',
    { requires: { apps: [{ github: 'https://github.com/example/charts.git', reason }] } },
    { requires: { apps: [{ github: 'example/charts', reason }] } },
    'dev',
  ],
  [
    'requires.url',
    { requires: { connectors: [{ ...connector, url: `${connector.url} ` }] } },
    { requires: { connectors: [connector] } },
  ],
  [
    'requires.required',
    { requires: { connectors: [{ ...connector, required: 'False' }] } },
    { requires: { connectors: [{ ...connector, required: false }] } },
  ],
];

const catalogue: readonly Fixed[] = [
  ['branding.icon', { branding: { icon: './assets/icon.svg' } }, { branding: { icon: 'assets/icon.svg' } }],
  ['branding.mark', branding({ mark: '/assets/mark.svg' }), branding({ mark: 'assets/mark.svg' })],
  ['branding.accent', branding({ accent: '#abc' }), branding({ accent: '#aabbcc' })],
  [
    'branding.screenshots',
    branding({ screenshots: ['assets\\1.png'] }),
    branding({ screenshots: ['assets/1.png'] }),
  ],
  ['categories.unknown', { categories: ['Media', 'GAMES '] }, { categories: ['media', 'games'] }],
  ['categories.format', { categories: 'media' }, { categories: ['media'] }],
  [
    'categories.format',
    { categories: ['data', 'media', 'data', 'games'] },
    { categories: ['data', 'media', 'games'] },
  ],
  [
    'platforms.format',
    { platforms: ['darwin', 'linux', 'darwin', 'linux'] },
    { platforms: ['darwin', 'linux'] },
  ],
  ['platforms.format', { platforms: 'linux' }, { platforms: ['linux'] }],
  [
    'platforms.unknown',
    { platforms: ['macOS', 'Windows', 'Linux'] },
    { platforms: ['darwin', 'win32', 'linux'] },
  ],
  ['platforms.unknown', { platforms: ['mac', 'darwin', 'mac'] }, { platforms: ['darwin'] }],
  ['arch.format', { arch: ['arm64', 'arm64'] }, { arch: ['arm64'] }],
  ['arch.unknown', { arch: ['amd64', 'aarch64'] }, { arch: ['x64', 'arm64'] }],
];

const contributions: readonly Fixed[] = [
  ['panels.component', panel({ component: 'WebView' }), panel({})],
  ['panels.component', panel({ component: undefined }), panel({})],
  [
    'panels.entry',
    panel({ config: { entry: './ui\\index.html' } }),
    panel({ config: { entry: 'ui/index.html' } }),
  ],
  ['tools.files.accept', file({ accept: ['.PNG', 'jpg'] }), file({ accept: ['image/png', 'image/jpeg'] })],
  ['tools.files.accept', file({ accept: 'image/*' }), file({ accept: ['image/*'] })],
  ['tools.files.maxBytes', file({ maxBytes: '512' }), file({ maxBytes: 512 })],
  ['media.op', media({ op: 'Resize', width: 1 }), media({ op: 'resize', width: 1 })],
  ['media.dimension', media({ op: 'resize', width: '512' }), media({ op: 'resize', width: 512 })],
  ['media.offset', media({ op: 'crop', aspect: '1:1', x: '0' }), media({ op: 'crop', aspect: '1:1', x: 0 })],
  ['media.quality', media({ op: 'compress', quality: '80.5' }), media({ op: 'compress', quality: 80.5 })],
  ['media.targetKb', media({ op: 'compress', targetKb: '500' }), media({ op: 'compress', targetKb: 500 })],
  ['media.time', media({ op: 'trim', end: '30' }), media({ op: 'trim', end: 30 })],
  ['media.aspect', media({ op: 'crop', aspect: '16 x 09' }), media({ op: 'crop', aspect: '16:9' })],
  ['media.aspect', media({ op: 'crop', aspect: 'Square' }), media({ op: 'crop', aspect: '1:1' })],
  [
    'media.fit',
    media({ op: 'resize', width: 1, fit: 'stretch' }),
    media({ op: 'resize', width: 1, fit: 'fill' }),
  ],
  [
    'media.gravity',
    media({ op: 'crop', aspect: '1:1', gravity: 'Top' }),
    media({ op: 'crop', aspect: '1:1', gravity: 'north' }),
  ],
  ['media.format.value', media({ op: 'convert', format: 'JPG' }), media({ op: 'convert', format: 'jpeg' })],
];

export const FIXED: readonly Fixed[] = [...identity, ...reach, ...catalogue, ...contributions];

/** Faults that only the author can fix, even if an answer seems obvious: `fixesFor` changes nothing. */
export const UNMENDED: readonly (readonly [what: string, broken: ManifestPatch, mode?: Mode])[] = [
  ['a version that is a number', { version: 1.1 }],
  ['a version with leading zeros', { version: '01.2.3' }],
  ['a version that is a word', { version: 'latest' }],
  ['an id of one part', { id: 'Notes' }],
  ['an id that belongs to no store app', { id: 'GH-example.notes' }],
  ['an id with other characters', { id: 'com.example_notes' }],
  ['http, which is another address', { homepage: 'http://example.com', support: 'http://example.com' }],
  ['the name of a file', { homepage: 'README.md' }],
  ['a host with a user', { homepage: 'example.com@evil.example.org' }],
  ['two mail addresses', { support: 'a@example.com, b@example.com' }],
  ['a javascript: address', { support: 'javascript:alert(1)' }],
  ['a domain with a path', domains('https://api.example.com/v1')],
  ['a domain with a port', domains('api.example.com:8080', 'http://api.example.com:443')],
  ['a domain with a user', domains('https://user@api.example.com')],
  ['a domain that would be too broad', domains('https://*.com/', 'https://*.github.io')],
  ['an IP address', domains('https://10.0.0.1/')],
  ['a host without a dot', domains('http://intranet/')],
  ['domains that are no list', { remote: { mcpUrl, domains: 'api.example.com' } }],
  ['an MCP server over http', { remote: { mcpUrl: 'http://mcp.example.com', domains: [] } }],
  ['a misspelt grant', { grants: ['files:recieve'] }],
  ['grants that are no list', { grants: 'files:receive' }],
  ['a grant that is missing', { ...file({}), grants: [] }],
  ['no scopes', account({ scopes: undefined })],
  ['scopes that are not valid names', account({ scopes: 'réad' })],
  ['a scope with a space in a list', account({ scopes: ['read write'] })],
  ['accounts that are no list', { accounts: { id: 'notes', label: 'Notes', auth: 'mcp', scopes: [] } }],
  ['a sign-in parameter that the client sets', account({ params: { state: 'x' } })],
  ['a number with several spellings', account({ params: { a: 1.5, b: 1e21, c: null } })],
  ['an unknown kind of sign-in', account({ auth: 'oauth' })],
  ['an app listed twice for two reasons', { requires: { apps: [app, { ...app, reason: 'Other.' }] } }],
  [
    'two equal entries after another one with the same name',
    { requires: { connectors: [connector, { ...connector, required: true }] } },
  ],
  ['an app of another registry', { requires: { apps: [{ ...app, id: 'NPM-charts' }] } }],
  ['requirements that are no list', { requires: { apps: app } }],
  ['no platforms', { platforms: [], arch: [] }],
  ['an unknown platform', { platforms: ['beos'], arch: ['x86'] }],
  ['a misspelt category', { categories: ['meida'] }],
  ['too many categories', { categories: ['data', 'design', 'media', 'games'] }],
  ['no description', { description: undefined }],
  ['a name that is too long', { name: 'n'.repeat(41) }],
  ['another component', panel({ component: 'native' })],
  ['a page outside the bundle', panel({ config: { entry: '../index.html' } })],
  ['a file rule over the limit', file({ maxBytes: '20971521' })],
  ['a boolean in quotes', file({ multiple: 'true' })],
  ['a size with a unit', file({ maxBytes: '5MB' })],
  ['any type', file({ accept: ['*/*', '.xyz'] })],
  ['a misspelt operation', media({ op: 'resise', width: 1 })],
  ['a ratio with zero', media({ op: 'crop', aspect: '0:1' })],
  ['a contribution under another name', { contributes: undefined, contribute: {} }],
  ['always active, in dev mode', { activation: 'always' }, 'dev'],
  ['no version of the format, in dev mode', { pluginApiVersion: undefined }, 'dev'],
];
