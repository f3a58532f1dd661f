import type { WaitingCard } from '../../../src/wire/views.ts';
import type { Answers } from './fake-desktop.ts';
import { chatAnswers } from './sample-chats.ts';
import {
  ACCOUNT,
  ACTIVITY,
  ANSWER,
  app,
  DETAIL,
  entry,
  FOLDER,
  MANIFEST,
  PROJECTS,
  SESSIONS,
  STORE,
  sheet,
  TOOL,
} from './sample-data.ts';

const NAMES = [
  'Field Notes',
  'Bird Calls',
  'Weather Glass',
  'Ledger',
  'Colour Picker',
  'Chess Clock',
  'Map Room',
];

/** The apps of a desktop with an app in each state. */
export const manyApps = () => [
  app(),
  app({
    appId: 'com.example.ledger',
    manifest: { ...MANIFEST, id: 'com.example.ledger', name: 'Ledger' },
    on: false,
  }),
  app({
    appId: 'com.example.maps',
    manifest: { ...MANIFEST, id: 'com.example.maps', name: 'Map Room' },
    obstacle: 'it waits for the app com.example.places, which is missing.',
  }),
  app({
    appId: 'com.example.gone',
    manifest: { ...MANIFEST, id: 'com.example.gone', name: 'Bird Calls' },
    yanked: { reason: 'It sent pictures elsewhere.', at: '2026-03-01T10:00:00.000Z', comesBack: true },
    on: false,
  }),
  app({
    appId: 'connector.mcp-example-com',
    manifest: { ...MANIFEST, id: 'connector.mcp-example-com', name: 'mcp.example.com' },
    source: { kind: 'connector', url: 'https://mcp.example.com/mcp' },
  }),
];

/**
 * The responses of a desktop that keeps a state.
 * @param state its initial state; a test may read and change it
 */
export function sampleAnswers(state: {
  apps: ReturnType<typeof manyApps>;
  cards: WaitingCard[];
  connected: boolean;
}): Answers {
  const entries = NAMES.map(entry);
  return {
    'client.show': () => ({
      ...{
        name: 'svc desktop',
        version: '0.0.0',
        store: STORE,
        folder: '/home/anna/.local/share/svc',
        privateNetworks: [],
        givenNetworks: null,
        localConnectors: true,
        managed: null,
        mirrors: [],
        givenLocalConnectors: false,
        command: `svc desktop --store ${STORE}`,
      },
      ...{ projects: PROJECTS, cards: state.cards },
    }),
    'links.show': () => ({ links: null }),
    'log.show': () => ({ evidence: null, isMissing: false }),
    'client.storeSession': () => ({ by: null, pending: null, fault: null }),
    'store.search': ({ q = '', category, featured }) => {
      if (featured !== undefined) return { apps: [], nextCursor: null, total: 0 };
      const apps = entries.filter(
        ({ name, categories }) =>
          name.toLowerCase().includes(q.toLowerCase()) &&
          (!category || (categories as string[]).includes(category)),
      );
      return { apps, nextCursor: null, total: apps.length };
    },
    'store.app': () => DETAIL,
    'store.deprecations': () => ({ apps: [] }),
    'store.prepare': () => ({ sheetId: 's1', sheet: sheet() }),
    'store.install': () => {
      state.apps = [...state.apps.filter(({ appId }) => appId !== 'com.example.notes'), app()];
      return { app: app() };
    },
    'apps.list': () => ({ apps: state.apps }),
    'apps.switch': ({ appId, on }) => {
      state.apps = state.apps.map((one) => (one.appId === appId ? { ...one, on } : one));
      return {};
    },
    'apps.remove': ({ appId }) => {
      state.apps = state.apps.filter((one) => one.appId !== appId);
      return { accounts: [{ id: 'notes', revoked: false, reason: 'auth.example.com did not answer.' }] };
    },
    'apps.update': () => ({
      outcomes: [
        { appId: 'com.example.notes', version: '1.2.0', outcome: 'current' },
        { appId: 'com.example.ledger', version: '1.0.0', outcome: 'updated', to: '1.1.0', instructions: [] },
        {
          appId: 'com.example.maps',
          version: '2.0.0',
          outcome: 'refused',
          reason: 'not-verified',
          message: 'The signature is not right.',
        },
      ],
    }),
    'apps.checkRevocations': () => ({
      refused: null,
      signedAt: '2026-03-01T10:00:00.000Z',
      stale: true,
      ahead: false,
    }),
    'resources.list': () => ({
      resources: {
        entries: [{ uri: 'note://one', name: 'First note', description: '', type: null, bytes: null }],
        isComplete: false,
      },
      templates: {
        entries: [{ uriTemplate: 'note://{name}', name: 'Any note', description: '', type: null }],
        isComplete: true,
      },
    }),
    'content.complete': () => ({ values: [], hasMore: false }),
    'resources.read': (which) => ({
      parts: [
        {
          type: 'text',
          text: `${'uri' in which ? which.uri : JSON.stringify(which.arguments)}: <b>Hello</b>\u202e`,
        },
        { type: 'file', name: 'leaf.png', mediaType: 'image/png', data: 'bGVhZg==' },
      ],
    }),
    'prompts.list': () => ({
      prompts: {
        entries: [
          {
            id: 'greet',
            name: 'Greet',
            description: 'Greets people.',
            arguments: [{ name: 'who', description: '', isRequired: true }],
          },
        ],
        isComplete: true,
      },
    }),
    'prompts.get': ({ arguments: { who } }) => ({
      description: '',
      messages: [{ role: 'user', part: { type: 'text', text: `Greet ${who}` } }],
    }),
    'apps.settings': () => ({ values: { size: 50 } }),
    'apps.saveSettings': () => ({}),
    'accounts.list': () => ({ accounts: [{ ...ACCOUNT, connected: state.connected }] }),
    'accounts.connect': () => {
      state.connected = true;
      return {};
    },
    'accounts.signIns': () => ({ signIns: [] }),
    'accounts.disconnect': () => {
      state.connected = false;
      return { revoked: false, reason: 'auth.example.com did not answer.' };
    },
    'files.list': () => ({
      files: [{ id: 'f'.repeat(24), name: 'report.txt', bytes: 4, keptAt: '2026-01-01T00:00:00.000Z' }],
    }),
    'files.open': () => ({
      file: { id: 'file-1', name: 'report.txt', type: 'text/plain', bytes: 4, sha256: 'a'.repeat(64) },
    }),
    'files.remove': () => ({}),
    'tools.known': () => ({ tools: [TOOL] }),
    'tools.list': () => ({ tools: [TOOL], fault: null, repairs: [] }),
    'tools.changes': () => ({ waiting: [] }),
    'tools.decide': () => ({}),
    'apps.stale': () => ({ stale: [] }),
    'apps.updates': () => ({
      installs: true,
      installsNow: true,
      waiting: [],
      checkedAt: '2026-03-01T10:00:00.000Z',
    }),
    'apps.installUpdates': () => ({}),
    'tools.names': () => ({
      apps: [
        { appId: 'com.example.notes', tools: [{ id: TOOL.id, name: TOOL.title }] },
        { appId: 'connector.mcp-example-com', tools: [{ id: 'weigh', name: 'Weigh a parcel' }] },
      ],
    }),
    'tools.call': () => ANSWER,
    'tools.stop': () => ({}),
    'tools.saveFile': () => ({}),
    'cards.answer': () => ({}),
    'panels.send': () => ({}),
    'panels.change': () => ({}),
    'panels.close': () => ({}),
    'panels.picked': () => ({}),
    ...chatAnswers(),
    'activity.list': () => ({
      entries: ACTIVITY,
      more: false,
      apps: ['com.example.maps', 'com.example.notes'],
      outcomes: ['answered', 'connected', 'declined'],
      askers: ['claude-code', 'desktop'],
    }),
    'activity.clear': () => ({}),
    'folders.list': () => ({ folders: [FOLDER] }),
    'projects.findFiles': () => ({ files: [] }),
    'projects.allowed': () => ({ folders: ['/home/anna/pictures'] }),
    'agents.bundles': () => ({ bundles: [] }),
    'agents.saveBundle': () => ({}),
    'agents.removeBundle': () => ({}),
    'agents.list': () => ({
      address: 'http://localhost:4300/mcp',
      agents: [
        {
          id: 'claude-code',
          name: 'Claude Code',
          file: '/home/anna/.claude.json',
          installed: true,
          state: 'connected',
        },
        {
          id: 'codex',
          name: 'Codex',
          file: '/home/anna/.codex/config.toml',
          installed: true,
          state: 'not-connected',
        },
        {
          id: 'cursor',
          name: 'Cursor',
          file: '/home/anna/.cursor/mcp.json',
          installed: false,
          state: 'unreadable',
        },
      ],
    }),
    'agents.sessions': () => ({ sessions: SESSIONS }),
    'agents.end': () => ({}),
    'agents.switchTool': () => ({}),
    'permissions.list': () => ({ permissions: [] }),
    'agents.askingTools': () => ({ tools: [] }),
    'agents.preApprove': () => ({}),
    'permissions.revoke': () => ({}),
    'agents.settings': () => ({
      all: { approvals: 'agent', tools: 'auto', searchFrom: 60 },
      agents: { codex: { approvals: 'page', tools: null } },
      askAboutTools: false,
      ...{ started: null, fault: null },
    }),
    'agents.preview': () => ({
      file: '/home/anna/.codex/config.toml',
      before: 'model = "x"\n\n[tools]\nweb = true\n',
      after: 'model = "x"\n\n[tools]\nweb = true\n\n[mcp_servers.svc]\ncommand = "svc"\nargs = ["gateway"]\n',
      becomesPrivate: false,
    }),
  };
}
