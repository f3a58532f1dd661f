import type { RevocationEntry, RevocationList, StoreKey } from '@svc/contracts';
import { keyRing, type SigningKey, verifyRevocationList } from '@svc/signing';
import type { BlobStore } from '../../platform/blob-store.ts';
import { withinTimeout } from '../../platform/probe.ts';
import { systemActor } from '../domain/audit/audit-log.ts';
import { listInCatalog } from '../domain/listings/list-in-catalog.ts';
import type { Stores } from '../domain/parts/parts.ts';
import { jobMover } from '../domain/versions/changes.ts';

/** A list that a key of the store has signed. The time of one by a retired key does not limit the time of the next. */
export type KnownList = { list: RevocationList; isCurrentKey: boolean };

/** What a text says: a list that nothing proves yet, and the same once a key of the store is known to have signed it. Null for no JSON. */
export type ReadList = { list: RevocationList | null; known: KnownList | null };

/** Texts of which a process remembers what they say: the list of the database and its copy, which are mostly the same. */
const REMEMBERED = 2;

function parsed(text: string): RevocationList | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Reads lists, and verifies them with the current key and with the retired ones. A list of 50,000 yanks takes a second to parse and to
 * verify, and each yank needs the last one: a text that this process has read or signed is not read again.
 */
export function createListReader(signingKey: SigningKey, keyChain: readonly StoreKey[]) {
  const [current, retired] = [keyRing([signingKey]), keyRing(keyChain)];
  let remembered: readonly { text: string; read: ReadList }[] = [];

  function verified(list: unknown): KnownList | null {
    if (verifyRevocationList(list, current)) return { list, isCurrentKey: true };
    return verifyRevocationList(list, retired) ? { list, isCurrentKey: false } : null;
  }

  function remember(text: string, read: ReadList): ReadList {
    remembered = [{ text, read }, ...remembered].slice(0, REMEMBERED);
    return read;
  }

  return {
    read(text: string): ReadList {
      const found = remembered.find((one) => one.text === text);
      if (found) return found.read;
      const list = parsed(text);
      return remember(text, { list, known: verified(list) });
    },
    /** Remembers a list that this process has signed with the current key. */
    signed(text: string, list: RevocationList): void {
      remember(text, { list, known: { list, isCurrentKey: true } });
    },
  };
}

export type ListReader = ReturnType<typeof createListReader>;

/**
 * The copy of the revocation list in the bundle storage, which an older database does not affect. The copy is written after the
 * database, so a copy that is newer than the list in the database, or has yanks of which the database has no record, means that the
 * database was replaced by an older copy.
 */
export function createKeptList(blobs: Pick<BlobStore, 'keptRecord' | 'keepRecord'>, reader: ListReader) {
  let text: string | null = null;
  let last: KnownList | null = null;
  const inStorage = () => blobs.keptRecord('revocations');
  /** The last valid copy counts when it was removed or damaged since. */
  const take = (now: string | null): KnownList | null => {
    if (now !== null) last = reader.read(now).known ?? last;
    text = now;
    return last;
  };

  return {
    /** The last valid copy that was read; null when there was none. */
    last: (): KnownList | null => last,
    /** Reads the copy for the first time. @throws when the storage does not answer */
    async open(): Promise<void> {
      take(await inStorage());
    },
    /** Reads the copy. @throws when the storage does not answer in the time of a probe: a yank waits for it */
    async read(): Promise<true> {
      take(await withinTimeout(inStorage()));
      return true;
    },
    /**
     * Replaces the copy, if it is still the one that was read last.
     * @param next the text of the list
     * @returns false when another process has replaced it: read it again first, because it may have more yanks
     */
    async replace(list: RevocationList, next: string): Promise<boolean> {
      if (text === next) return true;
      if ((await withinTimeout(inStorage())) !== text) return false;
      await blobs.keepRecord('revocations', next);
      text = next;
      last = { list, isCurrentKey: true };
      return true;
    },
  };
}

/**
 * Yanks those versions of a list that are published in the database, with the reason and the time of the list.
 * @returns the entries of which there was one
 */
export async function yankListed(
  { versions, listings, audit }: Pick<Stores, 'versions' | 'listings' | 'audit'>,
  entries: readonly RevocationEntry[],
): Promise<RevocationEntry[]> {
  const yanked: RevocationEntry[] = [];
  for (const entry of entries) {
    const { appId, version, reason, at } = entry;
    const ref = { appId, version };
    const step = { from: 'published', to: 'yanked' } as const;
    if (!(await versions.move(ref, step, { notes: reason }, jobMover('store', at)))) continue;
    await listInCatalog({ versions, listings }, appId);
    const publisher = (await versions.find(ref))?.publisher;
    const detail = { reason };
    const event = { action: 'version.yank', ...ref, ...(publisher && { publisher }), detail } as const;
    await audit.add(systemActor('store'), at, event);
    yanked.push(entry);
  }
  return yanked;
}
