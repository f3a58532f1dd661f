import { createHash } from 'node:crypto';
import { type TestKey, testKey } from '@svc/testkit';
import type { Refusal } from '../../src/index.ts';
import { APPS, type VectorApp } from './vector-apps.ts';

/** The purpose of a vector, and its differences from a valid response for the app `notes`. */
export type FactCase = {
  why: string;
  refusal?: Refusal;
  app?: VectorApp;
  asked?: { appId?: string; version?: string };
  /** The signed text; by default the facts of the bundle. */
  text?: string;
  signer?: TestKey;
  /** Replaces the signature over `text`. */
  signature?: string | Uint8Array;
  /** Changes the signature in transit. */
  spelt?: (signature: string) => string;
  at?: string;
  sha256?: string;
  keyId?: string;
  pinned?: string[];
};

export const CURRENT = testKey('svc vectors: the key of the store');
export const RETIRED = testKey('svc vectors: the key before it');
export const STRANGER = testKey('svc vectors: the key of somebody else');
export const AT = '2026-01-02T03:04:05.678Z';

const { notes, wide, bare, moreGrants, moreDomains, otherHost, account, moreScopes, otherApp, older } = APPS;

type Facts = Pick<VectorApp, 'accounts' | 'appId' | 'domains' | 'grants' | 'sha256' | 'version'> & {
  publishedAt: string;
};

/** The canonical JSON of facts, key by key. */
const canonical = ({ accounts, appId, domains, grants, publishedAt, sha256, version }: Facts): string => {
  const [a, d, g] = [accounts, domains, grants].map((list) => JSON.stringify(list));
  return `{"accounts":${a},"appId":"${appId}","domains":${d},"grants":${g},"publishedAt":"${publishedAt}","sha256":"${sha256}","version":"${version}"}`;
};

/** The facts of an app as they are signed, with changes. */
export const factsOf = (app: VectorApp, changes: Partial<Facts> = {}): string =>
  canonical({ ...app, publishedAt: AT, ...changes });

/** The facts of the app `notes`. */
export const NOTES = factsOf(notes);
const shaken = Object.entries(JSON.parse(NOTES) as object).reverse();

/** Bundles that every verifier accepts. */
export const ACCEPTED: Record<string, FactCase> = {
  plain: { why: 'an app with one grant and one domain' },
  wide: {
    why: 'an MCP address with capitals and a port, doubled entries, and lists that are sorted by code unit, not by language',
    app: wide,
  },
  bare: { why: 'an app that reaches nothing but its MCP server: empty lists', app: bare },
  account: { why: 'an account with a scope', app: account },
  'retired-key': {
    why: 'facts of before the last rotation, by a key that is trusted still',
    signer: RETIRED,
  },
};

/** The signed text does not match the manifest, or is not canonical. */
export const OTHER_FACTS: Record<string, FactCase> = {
  'grant-added': {
    why: 'the manifest asks for a grant more than was signed',
    app: moreGrants,
    text: factsOf(moreGrants, { grants: notes.grants }),
  },
  'domain-added': {
    why: 'the manifest reaches a domain more than was signed',
    app: moreDomains,
    text: factsOf(moreDomains, { domains: notes.domains }),
  },
  'mcp-host-changed': {
    why: 'the MCP server is another than was signed',
    app: otherHost,
    text: factsOf(otherHost, { domains: notes.domains }),
  },
  'account-added': {
    why: 'the manifest has an account that was not signed',
    app: account,
    text: factsOf(account, { accounts: [] }),
  },
  'scope-added': {
    why: 'the manifest asks for a scope more than was signed',
    app: moreScopes,
    text: factsOf(moreScopes, { accounts: account.accounts }),
  },
  'grant-taken-back': {
    why: 'the manifest asks for less than was signed: that is not what the store saw either',
    text: factsOf(notes, { grants: moreGrants.grants }),
  },
  'mcp-host-left-out': {
    why: 'the host of the MCP server is not among the signed domains',
    text: factsOf(notes, { domains: ['api.example.com'] }),
  },
  'domain-in-capitals': {
    why: 'a domain was signed as the manifest writes it, with capitals',
    app: wide,
    text: factsOf(wide, {
      domains: ['*.cdn.example.com', 'API.example.com', 'mcp.example.com', 'xn--bcher-kva.example'],
    }),
  },
  'port-in-domain': {
    why: 'the host of the MCP server was signed with its port',
    app: wide,
    text: factsOf(wide, {
      domains: ['*.cdn.example.com', 'api.example.com', 'mcp.example.com:8443', 'xn--bcher-kva.example'],
    }),
  },
  'lists-doubled': {
    why: 'lists were signed with their duplicates',
    app: wide,
    text: factsOf(wide, { grants: ['files:receive', 'host:media', 'host:media', 'storage'] }),
  },
  'lists-unsorted': {
    why: 'lists were signed in the order of the manifest',
    app: wide,
    text: factsOf(wide, { grants: ['storage', 'host:media', 'files:receive'] }),
  },
  'lists-by-language': {
    why: 'lists were sorted as a language sorts them, small letters and capitals together',
    app: wide,
    text: factsOf(wide, {
      accounts: wide.accounts.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
    }),
  },
  'signed-for-other-app': {
    why: 'the facts that were signed name another app',
    text: factsOf(notes, { appId: otherApp.appId }),
  },
  'signed-for-other-version': {
    why: 'the facts that were signed name another version',
    text: factsOf(notes, { version: older.version }),
  },
  'signed-for-other-hash': {
    why: 'the facts that were signed have the hash of another bundle',
    text: factsOf(notes, { sha256: older.sha256 }),
  },
  'signed-at-other-time': {
    why: 'the facts that were signed have another time, by a millisecond',
    text: factsOf(notes, { publishedAt: '2026-01-02T03:04:05.679Z' }),
  },
  'field-added': {
    why: 'an eighth key was signed',
    text: NOTES.replace('"publishedAt"', '"note":"","publishedAt"'),
  },
  'field-left-out': {
    why: 'six keys were signed: the lists that are empty are missing',
    text: NOTES.replace('"accounts":[],', ''),
  },
  'field-null': {
    why: 'null was signed in the place of an empty list',
    text: NOTES.replace('"accounts":[]', '"accounts":null'),
  },
  'keys-unsorted': {
    why: 'the keys were signed in another order',
    text: JSON.stringify(Object.fromEntries(shaken)),
  },
  'white-space': {
    why: 'a space was signed after each colon and comma',
    text: NOTES.replaceAll('":', '": ').replaceAll(',"', ', "'),
  },
  'line-end': { why: 'the end of a line was signed after the object', text: `${NOTES}\n` },
  'byte-order-mark': { why: 'a byte order mark was signed before the object', text: `\ufeff${NOTES}` },
  'slash-escaped': {
    why: 'slashes were signed with a backslash, as some writers of JSON have it',
    app: wide,
    text: factsOf(wide).replaceAll('/', '\\/'),
  },
  'html-escaped': {
    why: '<, > and & were signed as \\u escapes, as some writers of JSON have it',
    app: wide,
    text: factsOf(wide).replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`),
  },
  'hash-signed': {
    why: 'the hash of the canonical JSON was signed, in hex',
    text: createHash('sha256').update(NOTES).digest('hex'),
  },
  'list-signed': {
    why: 'a list of withdrawn versions was signed, by the same key at the same time',
    text: `{"entries":[],"signedAt":"${AT}"}`,
  },
  'handover-signed': {
    why: 'the next key was signed: it is what a chain of keys is made of',
    text: `{"at":"${AT}","keyId":"${STRANGER.keyId}","publicKeyPem":${JSON.stringify(STRANGER.publicKeyPem)},"since":"2025-01-01T00:00:00.000Z","successorOf":"${CURRENT.keyId}"}`,
  },
};

/** The response is about another bundle, or is malformed. */
export const OTHER_ANSWERS: Record<string, FactCase> = {
  'other-bytes': {
    why: 'the bundle is not the one with the hash that the store says and signed',
    app: moreGrants,
    text: NOTES,
    sha256: notes.sha256,
    refusal: 'hash-mismatch',
  },
  'hash-of-other-bundle': {
    why: 'a good signature, and the hash of another bundle beside it',
    sha256: older.sha256,
    refusal: 'hash-mismatch',
  },
  'hash-in-capitals': {
    why: 'the hash in capitals',
    sha256: notes.sha256.toUpperCase(),
    refusal: 'hash-mismatch',
  },
  'hash-empty': { why: 'no hash', sha256: '', refusal: 'hash-mismatch' },
  'other-app': {
    why: 'another app than the one asked for, signed as what it is',
    app: otherApp,
    asked: { appId: notes.appId },
    refusal: 'wrong-app',
  },
  'other-app-signed-as-asked': {
    why: 'another app than the one asked for, signed as the one asked for',
    app: otherApp,
    asked: { appId: notes.appId },
    text: factsOf(otherApp, { appId: notes.appId }),
    refusal: 'wrong-app',
  },
  'other-version': {
    why: 'an older version than the one asked for, signed as what it is',
    app: older,
    asked: { version: notes.version },
    refusal: 'wrong-version',
  },
  'other-build': {
    why: 'another build of the version asked for',
    app: wide,
    asked: { version: '2.0.0-rc.1+build.6' },
    refusal: 'wrong-version',
  },
  'time-changed': {
    why: 'the time is not the one that was signed',
    text: factsOf(notes, { publishedAt: AT }),
    at: '2026-01-03T03:04:05.678Z',
  },
  'time-without-milliseconds': {
    ...signedAt('2026-01-02T03:04:05Z'),
    why: 'the time has no milliseconds, and was signed so',
  },
  'time-with-offset': {
    ...signedAt('2026-01-02T04:04:05.678+01:00'),
    why: 'the time is not in UTC, and was signed so',
  },
  'time-that-is-none': {
    ...signedAt('2026-02-30T03:04:05.678Z'),
    why: 'the time is on no calendar, and was signed so',
  },
  'time-in-words': { ...signedAt('yesterday'), why: 'the time is no time, and was signed so' },
};

function signedAt(at: string): Omit<FactCase, 'why'> {
  return { at, text: factsOf(notes, { publishedAt: at }), refusal: 'malformed' };
}
