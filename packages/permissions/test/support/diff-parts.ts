import type { Account, Manifest, PermissionDiff, SignedFootprint, Tool } from '@svc/contracts';
import { sampleManifest } from '@svc/testkit';

/** Two versions of an app and what is between them, all written by hand: no code under test has a say in it. */
export type DiffCase = {
  why: string;
  /** The published version; the common one when left out, null for none. */
  before?: Manifest | null;
  after: Manifest;
  /** The facts of `after`, where they are not those of the common version. */
  facts?: Partial<SignedFootprint>;
  /** What differs. */
  diff: Partial<PermissionDiff>;
  /** Those fields of the difference by which it widens. */
  widensBy?: (keyof PermissionDiff)[];
};

const AUTH = 'https://auth.example.com';
export const MAIL: Account = {
  ...{ id: 'mail', label: 'Mail', clientId: 'client-1', scopes: ['read'] },
  ...{ authorizeUrl: `${AUTH}/authorize`, tokenUrl: `${AUTH}/token` },
};
export const SEND: Tool = {
  ...{ id: 'send', name: 'Send', description: 'Sends a letter.', account: 'mail' },
  ...{ confirm: { title: 'Send it?' }, files: { body: { maxBytes: 100 } } },
};
export const LIST: Tool = { id: 'list', name: 'List', description: 'Lists letters.' };

/** The version that most cases begin with. */
export const COMMON = sampleManifest({
  ...{ accounts: [MAIL], contributes: { tools: [SEND, LIST] } },
  requires: { apps: [{ id: 'media', reason: 'It makes pictures small.' }] },
});
export const COMMON_FACTS: SignedFootprint = {
  grants: ['files:receive'],
  domains: ['api.example.com', 'mcp.example.com'],
  accounts: ['mail', 'mail:read'],
};

export const { remote } = COMMON;
export const update = (changes: Partial<Manifest>): Manifest => ({ ...COMMON, version: '1.1.0', ...changes });
export const tools = (...list: Tool[]): Manifest => update({ contributes: { tools: list } });
export const send = (changes: Partial<Tool>): Manifest => tools({ ...SEND, ...changes }, LIST);
export const accounts = (...list: Account[]): Manifest => update({ accounts: list });
export const mail = (changes: Partial<Account>): Manifest => accounts({ ...MAIL, ...changes });
const { account: _account, ...sendAlone } = SEND;
const { confirm: _confirm, ...sendWithoutCard } = SEND;
export const DISCOVERED: Account = { id: 'mail', label: 'Mail', auth: 'mcp', scopes: ['read'] };

export { sendAlone, sendWithoutCard };
