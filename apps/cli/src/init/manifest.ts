import { createHash } from 'node:crypto';
import { LIMITS } from '@svc/contracts/vocabulary';
import type { Answers } from './answers.ts';

/** Colours with a contrast of at least 4.5 to white text (WCAG 2.2, 1.4.3). */
const ACCENTS = [
  '#2F6F5E',
  '#2D5DA8',
  '#7A3E9D',
  '#A83A4B',
  '#8A5A00',
  '#0F6B7A',
  '#4B5320',
  '#B0413E',
] as const;

/** The accent colour of an app, derived from its id. */
export function accentOf(id: string): string {
  const [first = 0] = createHash('sha256').update(id).digest();
  return ACCENTS[first % ACCENTS.length] ?? ACCENTS[0];
}

/** Id of the account in the manifest; tools refer to it. */
export const ACCOUNT_ID = 'account';

function accountsOf({ account, name, authorizeUrl, tokenUrl, clientId }: Answers): object[] {
  const common = { id: ACCOUNT_ID, label: name };
  if (account === 'mcp') return [{ ...common, auth: 'mcp', scopes: [] }];
  return [{ ...common, authorizeUrl, tokenUrl, clientId, scopes: [] }];
}

/** The permission sentences that users read when they install the app. */
function permissionsOf({ mcpUrl, account }: Answers): string[] {
  const host = URL.parse(mcpUrl)?.hostname ?? 'its server';
  const sentence = `Sends what you hand to its tools to ${host}.`;
  return [
    sentence.length <= LIMITS.manifest.permission
      ? sentence
      : 'Sends what you hand to its tools to its own server.',
    ...(account === 'none' ? [] : ['Acts in the account that you connect.']),
  ];
}

/** The manifest of a new app: valid, with no tools yet. */
export function manifestOf(answers: Answers, store: string): Record<string, unknown> {
  const { id, name, description, publisher, category, mcpUrl, account, panel } = answers;
  const panels = [{ id: 'main', title: name, component: 'webview', config: { entry: 'ui/index.html' } }];
  return {
    $schema: `${store}/schemas/app-manifest-v3.json`,
    pluginApiVersion: 3,
    id,
    name,
    version: '0.1.0',
    description,
    publisher,
    categories: [category],
    permissions: permissionsOf(answers),
    remote: { mcpUrl, domains: [] },
    branding: { icon: 'assets/icon.svg', accent: accentOf(id) },
    ...(account === 'none' ? {} : { accounts: accountsOf(answers) }),
    contributes: { tools: [], ...(panel ? { panels } : {}) },
  };
}
