import type { Account, Change, Manifest, PermissionDiff, SignedFootprint, Tool } from '@svc/contracts';
import { sampleManifest } from '@svc/testkit';

/** SHA-256 of files of a bundle, by path. */
export type Pictures = Readonly<Record<string, string>>;

/** Two versions of an app and their difference, written by hand and not by the code under test. */
export type DiffCase = {
  why: string;
  /** The published version; by default the common one, null for none. */
  before?: Manifest | null;
  after: Manifest;
  /** The facts of `after` that differ from the common version. */
  facts?: Partial<SignedFootprint>;
  /** Hashes of files in the older and the newer bundle that differ from the common version. */
  pictures?: { before?: Pictures; after?: Pictures };
  /** The difference, except `changes`. */
  diff: Partial<Omit<PermissionDiff, 'changes' | 'widens'>>;
  changes: Change[];
  /** The fields of the difference that widen. */
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

/** The published version in most cases. */
export const COMMON = sampleManifest({
  ...{ accounts: [MAIL], contributes: { tools: [SEND, LIST] } },
  requires: { apps: [{ id: 'media', reason: 'It makes pictures small.' }] },
});
/** Its icon and its mark. */
export const PICTURES: Pictures = { 'assets/icon.png': 'a'.repeat(64), 'assets/mark.svg': 'b'.repeat(64) };
export const OTHER_PICTURE = 'c'.repeat(64);

export const COMMON_FACTS: SignedFootprint = {
  grants: ['files:receive'],
  domains: ['api.example.com', 'mcp.example.com'],
  accounts: ['mail', 'mail:read'],
};

/** A change of permissions that widens. */
export const more = (path: string, before: Change['before'], after: Change['after']): Change => ({
  ...{ path, kind: 'reach', before, after, widens: true },
});
/** A change of permissions that does not widen. */
export const less = (path: string, before: Change['before'], after: Change['after']): Change => ({
  ...more(path, before, after),
  widens: false,
});
/** A change of what steers an agent. */
export const steers = (path: string, before: Change['before'], after: Change['after']): Change => ({
  ...less(path, before, after),
  kind: 'instructions',
});
/** A change of how users recognise the app. */
export const face = (path: string, before: Change['before'], after: Change['after']): Change => ({
  ...less(path, before, after),
  kind: 'face',
});

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
