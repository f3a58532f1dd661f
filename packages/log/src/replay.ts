import type { KeyObject } from 'node:crypto';
import type { LogEntry, PublishedEntry, StoreKey } from '@svc/contracts';
import { keyRing, verifyJsonSignature, verifyKeyChain } from '@svc/signing';
import { factsHashOf } from './entries.ts';

/** What a replay says of an entry: something that the store must not have done, or something that a reader should know. */
export type LogRemark = { index: number; message: string };

/** The last entry about something: its index, and what it says. */
type Version = { state: 'published' | 'yanked'; facts: string; at: number };
type Key = { key: StoreKey; publicKey: KeyObject | null; isRetired: boolean; at: number };

/** Remarks that are kept; of the others there is a number. A hostile log has any number of them. */
const KEPT = 100;

type Ref = { appId: string; version: string };

const nameOf = ({ appId, version }: Ref): string => `${appId}@${version}`;

/** Whether a key is signed by the one before it. */
const follows = (key: StoreKey, { keyId, publicKeyPem, createdAt }: StoreKey): boolean =>
  verifyKeyChain({ publicKeyPem }, [{ keyId, publicKeyPem, createdAt, retiredAt: key.createdAt }, key]).ok;

/** The public key of an entry; null when it is none, or has another id. */
function publicKeyOf(key: StoreKey): KeyObject | null {
  try {
    return keyRing([key]).get(key.keyId) ?? null;
  } catch {
    return null;
  }
}

/** Collects remarks. */
function createRemarks() {
  const kept: LogRemark[] = [];
  let total = 0;
  return {
    kept: kept as readonly LogRemark[],
    total: () => total,
    add(index: number, message: string): void {
      total += 1;
      if (kept.length < KEPT) kept.push({ index, message });
    },
  };
}

/**
 * Replays the entries of a log, in order: verifies the signatures of versions and keys, and that each act was possible after those before
 * it. It needs some 300 bytes for each version, and nothing for each entry.
 */
export function createReplay() {
  const versions = new Map<string, Version>();
  const keys = new Map<string, Key>();
  const verified = new Set<string>();
  const findings = createRemarks();
  const notes = createRemarks();
  /** The entries that the database had lost when it was replaced by an older copy, last. */
  let lost = { from: 0, to: 0 };
  let count = 0;

  const found = (message: string): void => findings.add(count, message);

  /** Whether the database may have lost an entry: then what it says may be repeated. */
  const isLost = ({ at }: { at: number }): boolean => at >= lost.from && at < lost.to;

  function checkSignature(entry: PublishedEntry): void {
    const { signature, keyId, facts } = entry;
    const key = keys.get(keyId)?.publicKey;
    if (!key) found(`${nameOf(entry)} is signed with ${keyId}, which the log has not added.`);
    else if (facts && !verifyJsonSignature(facts, signature, key))
      found(`The signature of ${nameOf(entry)} does not verify.`);
    if (facts && nameOf(facts) !== nameOf(entry))
      found(`${nameOf(entry)} has the facts of ${nameOf(facts)}.`);
  }

  function published(entry: PublishedEntry): void {
    checkSignature(entry);
    const before = versions.get(nameOf(entry));
    const facts = factsHashOf(entry);
    // The same facts again are signed with another key, after one was lost.
    if (before && before.facts !== facts) found(`${nameOf(entry)} was published again with other contents.`);
    else if (before?.state === 'yanked' && !isLost(before))
      found(`${nameOf(entry)} was published again without an undone yank.`);
    versions.set(nameOf(entry), { state: 'published', facts, at: count });
  }

  function moved(entry: Extract<LogEntry, { kind: 'yanked' | 'undone' }>): void {
    const before = versions.get(nameOf(entry));
    if (!before) {
      found(`${nameOf(entry)} was ${entry.kind}, and never published.`);
      return;
    }
    const isYank = entry.kind === 'yanked';
    if (before.state === (isYank ? 'yanked' : 'published') && !isLost(before))
      found(`${nameOf(entry)} was ${entry.kind} while ${before.state}.`);
    versions.set(nameOf(entry), { ...before, state: isYank ? 'yanked' : 'published', at: count });
  }

  /** Requires that a key is signed by the one before it, or that there is none that could sign. */
  function checkSuccession(key: StoreKey): void {
    const { keyId, successorOf } = key;
    if (successorOf === undefined) {
      if (keys.size === 0) return;
      const isAlone = [...keys.values()].every((one) => one.isRetired || isLost(one));
      if (isAlone) notes.add(count, `The store declared its keys lost: no key before it signed ${keyId}.`);
      else found(`The key ${keyId} is not signed by the key before it, which is in use.`);
      return;
    }
    const before = keys.get(successorOf)?.key;
    if (!before || !follows(key, before))
      found(`The key ${keyId} is not signed by ${successorOf}, the key before it.`);
  }

  function addKey(key: StoreKey): void {
    const known = keys.get(key.keyId);
    if (known && !isLost(known)) found(`The key ${key.keyId} was added twice.`);
    else checkSuccession(key);
    const publicKey = publicKeyOf(key);
    if (!publicKey) found(`The key ${key.keyId} is not the Ed25519 key with this id.`);
    keys.set(key.keyId, { key, publicKey, isRetired: false, at: count });
  }

  function retireKey(keyId: string): void {
    const known = keys.get(keyId);
    if (known) keys.set(keyId, { ...known, isRetired: true, at: count });
    else found(`The key ${keyId} was retired, and never added.`);
  }

  function restored({ from, to }: Extract<LogEntry, { kind: 'restored' }>): void {
    if (to !== count || from >= to) found('It says that entries were lost which do not end before it.');
    else lost = { from, to };
    notes.add(
      count,
      `The database was replaced by an older copy: the acts of the entries from ${from} to ${to - 1} may be lost from it.`,
    );
  }

  function unverified(publisher: string): void {
    if (!verified.delete(publisher)) found(`The publisher ${publisher} was not verified.`);
  }

  const acts: { [Kind in LogEntry['kind']]: (entry: Extract<LogEntry, { kind: Kind }>) => void } = {
    published,
    yanked: moved,
    undone: moved,
    'key-added': ({ key }) => addKey(key),
    'key-retired': ({ keyId }) => retireKey(keyId),
    restored,
    'publisher-verified': ({ publisher }) => void verified.add(publisher),
    'publisher-unverified': ({ publisher }) => unverified(publisher),
    // The tools of a server are recorded as often as it changes them.
    'tools-recorded': () => undefined,
  };

  return {
    /** Replays the next entry; null stands for bytes that are no entry. */
    add(entry: LogEntry | null): void {
      if (entry === null) found('This is not an entry of a store.');
      else acts[entry.kind](entry as never);
      count += 1;
    },
    /** The state of a version by the log; null when it was never published. */
    stateOf: (ref: Ref): Version['state'] | null => versions.get(nameOf(ref))?.state ?? null,
    /** Whether the log has added a key. */
    hasKey: (keyId: string): boolean => keys.has(keyId),
    /** What the store must not have done; the first hundred, and how many there are. */
    findings: (): { first: readonly LogRemark[]; total: number } => ({
      first: findings.kept,
      total: findings.total(),
    }),
    /** What the store may have done, and its readers should know: the first hundred. */
    notes: (): readonly LogRemark[] => notes.kept,
  };
}

export type Replay = ReturnType<typeof createReplay>;
