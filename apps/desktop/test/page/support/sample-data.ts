import type { CatalogEntry, Change, Manifest, PermissionDiff } from '@svc/contracts';
import { footprintOf, permissionDiff } from '@svc/permissions';
import type { Card, InstallSheet, PicturePair } from '@svc/runtime';
import type {
  AccountView,
  ActivityEntry,
  AgentSessionView,
  AppView,
  CallView,
  FolderView,
  Project,
  ToolView,
  WaitingCard,
} from '../../../src/wire/views.ts';

export const SHA = 'ab'.repeat(32);
/** A store that is unreachable. */
export const STORE = 'http://localhost:1';

const AT = '2026-03-01T10:00:00.000Z';

export const PROJECTS: Project[] = [
  { id: 'p1', name: 'Garden', folder: '/home/anna/garden' },
  { id: 'p2', name: 'A project with quite a long name', folder: null },
];

export const MANIFEST = {
  pluginApiVersion: 3,
  id: 'com.example.notes',
  name: 'Field Notes',
  version: '1.2.0',
  description: 'Keeps notes with pictures. It sends them to nobody else.',
  permissions: ['Reads the notes of your account.', 'Sends pictures that you choose to notes.example.com.'],
  publisher: 'example',
  grants: ['files:receive', 'files:return'],
  remote: { mcpUrl: 'https://mcp.example.com/mcp', domains: ['cdn.example.com', '*.notes.example.com'] },
  branding: { icon: 'assets/icon.png', mark: 'assets/mark.svg' },
  accounts: [{ id: 'notes', label: 'Example Notes', auth: 'mcp', scopes: ['notes.read'], required: true }],
  contributes: {
    tools: [{ id: 'add_note', name: 'Add a note', description: 'Adds a note.' }],
    panels: [
      {
        id: 'board',
        title: 'Board',
        component: 'webview',
        icon: 'branding',
        views: [
          { id: 'all', label: 'All notes' },
          { id: 'mine', label: 'Mine' },
        ],
      },
    ],
    settings: [
      { id: 'folder', label: 'Folder for new notes', type: 'string', default: 'Inbox' },
      { id: 'size', label: 'Notes a page', type: 'number', default: 20 },
      { id: 'quiet', label: 'Do not tell me of new notes', type: 'boolean' },
      { id: 'order', label: 'Order', type: 'select', options: ['newest', 'oldest'] },
    ],
  },
} satisfies Manifest as Manifest;

/** Untrusted text, with markup that must not be interpreted and a direction override. */
export const HOSTILE =
  '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>\u202Egnp.exe';

export const entry = (name: string, n: number): CatalogEntry => ({
  appId: n === 0 ? 'com.example.notes' : `com.example.app-${n}`,
  name,
  tagline: 'Keeps notes with pictures.',
  description: MANIFEST.description,
  categories: ['productivity'],
  publisher: {
    slug: 'example',
    name: 'Example & Sons',
    verified: n % 2 === 0,
    verifiedHost: '',
    website: '',
  },
  version: '1.2.0',
  publishedAt: AT,
  iconUrl: 'http://localhost:1/none.png',
  markUrl: '',
  accent: '',
  screenshots: [],
  permissions: MANIFEST.permissions,
  grants: MANIFEST.grants ?? [],
  domains: ['mcp.example.com', 'cdn.example.com'],
  accounts: [{ id: 'notes', label: 'Example Notes', scopes: ['notes.read'], required: true }],
  tools: [
    { id: 'add_note', name: 'Add a note', description: 'Adds a note, with pictures where there are any.' },
  ],
  installs: 1200 - n,
  rating: { average: 4.4, count: n },
  size: 48_213,
  homepage: 'https://notes.example.com/',
  support: 'mailto:help@example.com',
});

const README = `<h1>Field Notes</h1><p>Write <strong>anywhere</strong>. <a href="https://example.com/help">Help</a>
<a href="javascript:document.title='owned'">bad</a></p><ul><li>One</li></ul>${HOSTILE}<form action="/"><input name="password"></form>`;

const version = (number: string) => ({
  version: number,
  publishedAt: AT,
  changelog: '- Better search',
  sha256: SHA,
  size: 48_213,
  signature: `${'A'.repeat(86)}==`,
  keyId: 'key-2026',
  grants: [],
  domains: ['mcp.example.com'],
  accounts: ['notes', 'notes:notes.read'],
  bundleUrl: 'http://localhost:1/bundle',
});

export const DETAIL = {
  ...entry('Field Notes', 0),
  readme: '# Field Notes',
  server: null,
  readmeHtml: README,
  versions: [version('1.2.0'), version('1.1.0')],
};

const hashOf = (path: string): string => (path === 'assets/icon.png' ? SHA : 'cd'.repeat(32));

const FOOTPRINT = footprintOf(
  {
    ...MANIFEST,
    contributes: {
      tools: [
        {
          ...{ id: 'add_note', name: 'Add a note', description: 'Adds a note.', account: 'notes' },
          confirm: { title: 'Add this note?' },
          files: { pictures: { maxBytes: 1_048_576, multiple: true } },
        },
        { id: 'find', name: 'Find notes', description: 'Finds notes.' },
      ],
    },
  },
  hashOf,
);

/** The accepted permissions: an update to `FOOTPRINT` adds some, removes some, and changes the name. */
const AGREED: typeof FOOTPRINT = {
  ...FOOTPRINT,
  grants: ['files:receive'],
  domains: ['cdn.example.com', 'mcp.example.com', 'old.example.com'],
  accounts: ['notes'],
  face: { ...FOOTPRINT.face, name: 'Pocket Notes', icon: 'ef'.repeat(32) },
};

export const WIDENED = permissionDiff({ version: '1.1.0', footprint: AGREED }, FOOTPRINT);

/** An update with exactly these changes. */
export const changing = (changes: readonly Change[]): PermissionDiff => ({
  ...WIDENED,
  changes: [...changes],
});

/** Bundles with pictures of one colour each. */
export const PICTURES: PicturePair = {
  before: { sha256: 'aa'.repeat(32), icon: 'assets/icon.svg', mark: 'assets/mark.svg' },
  after: { sha256: 'bb'.repeat(32), icon: 'art/icon & more.svg', mark: 'assets/mark.svg' },
};

export const sheet = (changes: Partial<InstallSheet> = {}): InstallSheet => ({
  app: { appId: 'com.example.notes', name: 'Field Notes', version: '1.2.0', publisher: 'example' },
  description: MANIFEST.description,
  permissions: MANIFEST.permissions,
  footprint: FOOTPRINT,
  accounts: [{ id: 'notes', label: 'Example Notes', scopes: ['notes.read'], required: true }],
  requirements: [
    {
      kind: 'app',
      name: 'com.example.maps',
      reason: 'Shows where a note was made.',
      need: 'optional',
      presence: 'missing',
    },
  ],
  providers: null,
  source: { store: STORE, sha256: SHA, publishedAt: AT, keyId: 'key-2026' },
  bytes: 48_213,
  replaces: null,
  widened: null,
  instructions: [],
  pictures: { ...PICTURES, before: null },
  inside: [],
  needsConsent: true,
  binding: 'sheet-binding',
  ...changes,
});

export const app = (changes: Partial<AppView> = {}): AppView => ({
  appId: 'com.example.notes',
  version: '1.2.0',
  manifest: MANIFEST,
  source: {
    ...{ kind: 'store', store: STORE, sha256: SHA, keyId: 'key-2026' },
    ...{ publishedAt: AT, installedAt: '2026-03-02T08:00:00.000Z' },
  },
  on: true,
  yanked: null,
  restoredAt: null,
  obstacle: null,
  serverFault: null,
  requirements: [],
  ...changes,
});

export const TOOL: ToolView = {
  id: 'add_note',
  title: 'Add a note',
  description: 'Adds a note, with pictures where there are any.',
  inputSchema: {
    type: 'object',
    required: ['title'],
    properties: {
      title: { type: 'string', title: 'Title', description: 'What the note is called.', maxLength: 40 },
      stars: { type: 'integer', minimum: 1, maximum: 5, default: 3 },
      pinned: { type: 'boolean' },
      colour: { enum: ['red', 'green'] },
      tags: { type: 'array', items: { type: 'string' }, default: ['new'] },
    },
  },
  files: { pictures: { accept: ['image/*', 'text/plain'], multiple: true, maxBytes: 1_048_576 } },
  confirms: true,
  account: 'notes',
  schema: 'now',
};

export const ANSWER: CallView = {
  outcome: 'answered',
  isError: false,
  parts: [
    { type: 'text', text: `The note is added. ${HOSTILE}` },
    { type: 'file', file: { id: 'f1', name: 'note.txt', type: 'text/plain', bytes: 4, sha256: SHA } },
  ],
  structured: { id: 42, tags: ['new'], nested: { deep: { deeper: null } } },
};

export const ACCOUNT: AccountView = {
  id: 'notes',
  label: 'Example Notes',
  required: true,
  signingIn: false,
  digits: null,
  connected: true,
  expiresAt: AT,
  scopes: ['notes.read'],
  host: 'auth.example.com',
  activity: [{ host: 'mcp.example.com', tool: 'add_note', at: AT }],
};

const DID = {
  ...({ at: AT, kind: 'tool', asker: 'claude-code', chat: null } as const),
  ...{ ms: 42, outcome: 'answered', detail: '' },
};

export const ACTIVITY: ActivityEntry[] = [
  { ...DID, id: 3, appId: 'com.example.notes', name: 'add_note', detail: '{"title":"Leaf"} → Added.' },
  {
    ...{ ...DID, id: 2, appId: 'com.example.notes', kind: 'account', name: 'notes' },
    ...{ asker: null, ms: null, outcome: 'connected' },
  },
  { ...DID, id: 1, appId: 'com.example.maps', name: 'find_place', outcome: 'declined' },
];

/** Connected agents: one in use, and a new one with a hostile name. */
export const SESSIONS: AgentSessionView[] = [
  {
    ...{ id: 's2', agent: HOSTILE, version: HOSTILE, since: AT, usedAt: AT, calls: 0 },
    ...{ lastCall: null, scope: null },
  },
  {
    ...{ id: 's1', agent: 'claude-code', version: '2.1.0', since: AT, usedAt: AT, calls: 12 },
    lastCall: { appId: 'com.example.notes', tool: 'Add a note', at: AT },
    scope: {
      bundle: null,
      ...{ project: 'Garden', searched: false, tokens: 1_200, projectId: 'garden', knownAs: 'claude-code' },
      apps: [
        {
          appId: 'com.example.notes',
          name: 'Field Notes',
          tools: [
            { id: 'add_note', name: 'Add a note', on: true },
            { id: 'find_notes', name: 'Find notes', on: false },
          ],
        },
      ],
    },
  },
];

export const FOLDER: FolderView = {
  folder: '/home/anna/notes-app',
  appId: 'com.example.dev',
  fault: null,
  issues: [
    { code: 'remote.url', level: 'error', path: '/remote/mcpUrl', message: 'Write an https address.' },
    { code: 'bundle.readme', level: 'warning', path: 'README.md', message: 'Add a README.md.' },
  ],
};

const CARD_APP = { appId: 'com.example.notes', name: 'Field Notes', version: '1.2.0', publisher: 'example' };
const FILE = { name: 'leaf.png', type: 'image/png', bytes: 20_480, sha256: SHA };
const PREPARED = { ...FILE, was: { name: 'leaf.heic', type: 'image/heic', bytes: 4_194_304 } };
const TEXT = { name: 'note.txt', type: 'text/plain', bytes: 4, sha256: 'cd'.repeat(32) };

const FIELD = {
  description: '',
  required: false,
  options: [],
  format: null,
  min: null,
  max: null,
  initial: null,
};

export const CARDS = {
  approval: {
    kind: 'approval',
    app: CARD_APP,
    tool: { id: 'add_note', name: 'Add a note' },
    server: 'mcp.example.com',
    account: { id: 'notes', label: 'Example Notes' },
    title: 'Add this note with 1 picture?',
    html: `<p>It is <em>shown</em> to everybody.</p>${HOSTILE}`,
    action: 'Add it',
    arguments: { title: 'Leaf', stars: 3 },
    files: [PREPARED, TEXT],
    binding: 'approval-binding',
  },
  connect: {
    kind: 'connect',
    app: CARD_APP,
    permissions: MANIFEST.permissions,
    account: { id: 'notes', label: 'Example Notes', scopes: ['notes.read'] },
    host: 'auth.example.com',
    binding: 'connect-binding',
  },
  consent: {
    kind: 'consent',
    app: CARD_APP,
    permissions: MANIFEST.permissions,
    footprint: FOOTPRINT,
    widened: WIDENED,
    pictures: PICTURES,
    inside: ['notes.corp.example'],
    binding: 'consent-binding',
  },
  save: {
    kind: 'save',
    app: CARD_APP,
    path: 'notes/leaf.png',
    replaces: true,
    file: FILE,
    binding: 'save-binding',
  },
  question: {
    kind: 'question',
    app: CARD_APP,
    server: 'mcp.notes.example.com',
    tool: 'book',
    message: 'Which room?\nIt must be free.',
    fields: [
      { ...FIELD, name: 'room', title: 'Room', required: true, type: 'string', min: 2 },
      { ...FIELD, name: 'size', title: 'Size', type: 'choice', options: [{ value: 's', title: 'Small' }] },
      { ...FIELD, name: 'days', title: 'Days', type: 'choices', options: [{ value: 'mo', title: 'Monday' }] },
      { ...FIELD, name: 'quiet', title: 'Quiet', type: 'boolean', initial: true },
    ],
    url: null,
    binding: 'question-binding',
  },
  page: {
    kind: 'question',
    app: CARD_APP,
    server: 'mcp.notes.example.com',
    tool: 'book',
    message: 'Pay for the room.',
    fields: [],
    url: 'https://pay.example.com/room?id=7',
    binding: 'page-binding',
  },
  sampling: {
    kind: 'sampling',
    app: CARD_APP,
    server: 'mcp.notes.example.com',
    tool: 'summarise',
    system: 'Be brief.',
    messages: [{ role: 'user', text: 'Summarise my notes.' }],
    maxTokens: 500,
    reply: null,
    binding: 'sampling-binding',
  },
  local: {
    kind: 'local-connector',
    app: { appId: 'local.mcp-1', name: 'Notes', version: '1.0.0', publisher: 'local' },
    access: {
      kind: 'command',
      program: '/usr/bin/npx',
      args: ['-y', 'notes "server"', 'a b', ''],
      folder: '/home/anna',
      variables: ['NOTES_TOKEN'],
      environment: ['HOME', 'PATH', 'NOTES_TOKEN'],
    },
    binding: 'local-binding',
  },
} satisfies Record<string, Card>;

export const waiting = (id: string, card: Card, asker = 'desktop'): WaitingCard => ({
  id,
  card,
  asker,
  askedAt: AT,
});

/** A panel that requests its port as panels do, shows the last message, and sends three messages at once. */
export const PANEL_PAGE = `<!doctype html><title>Board</title><p id="said">waiting</p><script>
  addEventListener('message', ({ data, ports }) => {
    if (data.method !== 'ui/notifications/port') return;
    ports[0].onmessage = ({ data }) => { document.getElementById('said').textContent = data; };
    for (const n of [1, 2, 3]) ports[0].postMessage('message ' + n);
  });
  parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/frame-ready' }, '*');
</script>`;
