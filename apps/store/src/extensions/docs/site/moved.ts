/**
 * Where documents that were merged into others are now, by their old names: the address below `/docs`. Those about the project itself are
 * in `docs/project`, which a store does not serve; their old addresses lead to what a reader of a store needs of them.
 */
export const MOVED: Readonly<Record<string, string>> = {
  'agents-trust': 'agents#how-far-an-agent-is-trusted',
  appearance: 'operating#name-and-logo',
  connectors: 'desktop#connectors',
  conversations: 'chat#find-import-and-export-conversations',
  emergencies: 'moderating#yank-a-version',
  events: 'registry#follow-a-store',
  'foreign-servers': 'embedding#what-a-server-may-do-during-a-call',
  keys: 'backup#keys',
  'known-limits-client': 'known-limits#connected-accounts',
  mirror: 'proxies#a-mirror-of-plain-files',
  'mcp-apps': 'panels#in-other-hosts',
  models: 'chat#choose-a-model',
  production: 'operating#first-production-installation',
  seals: 'text#the-seals',
  search: 'publishing#how-users-find-it',
  storage: 'embedding#storage-that-bots-share',
  threats: 'known-limits',
  'threats-accounts': 'known-limits',
  'threats-client': 'known-limits',
  'threats-computer': 'known-limits',
  upgrades: 'deployment#upgrade',
};
