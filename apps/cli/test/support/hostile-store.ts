import { appBundle } from './app-folder.ts';
import { START, TOKEN, WHO } from './device-store.ts';
import { fakeStore } from './fake-store.ts';

const AT = '2026-01-02T03:04:05.678Z';
const APP_ID = 'com.example.tidy';
const ISSUE = { code: 'bundle.readme', level: 'warning', path: 'README.md', message: 'Add one.' };

const LISTS = ['grants', 'domains', 'accounts', 'fileParams', 'requires', 'tools'];
const DIFF = {
  baseVersion: '0.9.0',
  ...Object.fromEntries(
    LISTS.flatMap((name) => [
      [`${name}Added`, ['one']],
      [`${name}Removed`, ['two']],
    ]),
  ),
  toolsChanged: ['send'],
  confirmRemoved: ['send'],
  toolAccountsChanged: ['send'],
  fileLimitsRaised: ['send.file'],
  authEndpointsChanged: ['list'],
  mcpUrlChanged: true,
  widens: true,
};

const VERSION = {
  version: '1.0.0',
  publishedAt: AT,
  changelog: 'New.',
  sha256: 'a'.repeat(64),
  size: 2048,
  signature: Buffer.alloc(64).toString('base64'),
  keyId: 'ed25519-0123456789abcdef',
  grants: ['files:receive'],
  domains: ['mcp.example.com'],
  accounts: ['list', 'list:read'],
  bundleUrl: 'https://store.test/bundle',
};

const DETAIL = {
  appId: APP_ID,
  name: 'Tidy',
  tagline: 'Tidies things up.',
  description: 'Tidies things up.',
  categories: ['productivity'],
  publisher: {
    slug: 'example',
    name: 'Example',
    verified: true,
    verifiedHost: 'example.com',
    website: 'https://example.com',
  },
  version: '1.0.0',
  publishedAt: AT,
  iconUrl: 'https://store.test/icon',
  screenshots: [],
  permissions: ['Reads your list.'],
  grants: ['files:receive'],
  domains: ['mcp.example.com'],
  accounts: [{ id: 'list', label: 'List', scopes: ['read'], required: false }],
  tools: [{ id: 'tidy_up', name: 'Tidy up', description: 'Tidies up.' }],
  installs: 3,
  rating: { average: 4.25, count: 8 },
  homepage: 'https://example.com',
  support: 'mailto:a@example.com',
  size: 2048,
  readme: '# Tidy',
  versions: [VERSION],
};

const { readme: _readme, versions: _versions, ...ENTRY } = DETAIL;

const STATUS = {
  appId: APP_ID,
  version: '1.0.0',
  status: 'in_review',
  issues: [ISSUE],
  notes: 'Look.',
  reasons: ['first-version'],
  review: { position: 3, of: 12, dueAt: AT },
};

const RESULT = {
  appId: APP_ID,
  version: '1.0.0',
  status: 'in_review',
  reasons: ['first-version'],
  issues: [ISSUE],
  permissionDiff: DIFF,
  reviewUrl: 'https://store.test/status',
};

/** A refusal of a store, with every field of the error envelope. */
const REFUSAL = {
  code: 'version_not_greater',
  message: 'Raise it.',
  requestId: 'r-1',
  issues: [ISSUE],
  latest: '2.0.0',
  retryAfter: 5,
};

/** Responses of a correct store, by the end of the path. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  [`/api/apps/${APP_ID}`]: DETAIL,
  '/api/apps/catalog': { apps: [ENTRY], nextCursor: null, total: 1 },
  '/status': STATUS,
  '/yank': { ...STATUS, status: 'yanked' },
  '/withdraw': { ...STATUS, status: 'rejected' },
  '/api/apps/publish': RESULT,
  '/api/developer/device/start': { ...START, verifyUrl: 'https://elsewhere.example/device' },
  '/api/developer/device/poll': { token: TOKEN },
  '/api/developer/whoami': WHO,
  '/api/developer/token': { id: 't-1' },
  '/api/apps/public-keys': { keys: [{ keyId: VERSION.keyId, publicKeyPem: 'PEM', createdAt: AT }] },
  '/api/apps/public-key': { keyId: VERSION.keyId, publicKeyPem: 'PEM' },
};

const answerFor = (url: string): unknown =>
  Object.entries(ANSWERS).find(([end]) => url.endsWith(end))?.[1] ?? { localApps: true };

/** The paths of all strings in a response. */
function stringsIn(value: unknown, at: readonly string[] = []): string[][] {
  if (typeof value === 'string') return [[...at]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => stringsIn(item, [...at, name]));
}

function changed(
  value: unknown,
  [step, ...rest]: readonly string[],
  change: (text: string) => string,
): unknown {
  if (step === undefined) return change(String(value));
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[step] = changed(copy[step], rest, change);
  return copy;
}

/** The change of one string in one response of a hostile store. */
export type Attack = { url: string; at: readonly string[]; refusing: boolean };

/** An attack for every string in the responses to these requests, and in refusals of them. */
export const attacksOn = (urls: readonly string[]): Attack[] =>
  [...new Set(urls)].flatMap((url) => [
    ...stringsIn(answerFor(url)).map((at) => ({ url, at, refusing: false })),
    ...stringsIn(REFUSAL).map((at) => ({ url, at, refusing: true })),
  ]);

/** A store with correct responses except for one attack. */
export async function hostileStore(attack: Attack | null, evil: string) {
  const asHostile = (body: unknown) => changed(body, attack?.at ?? [], (text) => `${text}${evil}${text}`);
  return fakeStore((request, response) => {
    const url = (request.url ?? '').split('?')[0] ?? '';
    if (url.endsWith('/bundle')) {
      response.writeHead(200, { 'Content-Type': 'application/zip' }).end(appBundle());
      return;
    }
    const isMeant = attack !== null && url === attack.url;
    const refusing = isMeant && attack.refusing;
    const honest = refusing ? REFUSAL : answerFor(url);
    const status = refusing ? 409 : url.endsWith('/publish') ? 201 : 200;
    const body = isMeant ? asHostile(honest) : honest;
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
}
