import type { DatabaseSync } from 'node:sqlite';
import { MANAGED_KEYS, type ManagedKey, ManagedSettings, type SignedManagedSettings } from '@svc/contracts';
import { isObject } from '@svc/contracts/is-object';
import type { LibraryStorage } from '../library/library-storage.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import type { ManagedOptions } from './managed-options.ts';
import { type ManagedSubject, memberHoursOf, type Rules, refusalOf, STRICTEST } from './rules.ts';

/** Settings with the id of the key that verified them: the id that a statement names is not signed. */
export type AcceptedManaged = Pick<SignedManagedSettings, 'managed' | 'changedAt'> & { signer: string };

/** What this computer last accepted of a store, and how it stands with it. Times are milliseconds since 1970 by its clock. */
export type KeptManaged = AcceptedManaged & {
  /** When the store last answered: to a member, where it is for members alone. */
  contactAt: number;
  /** Since when it answers that no user is signed in; null while it accepts the user. */
  leftAt: number | null;
};

export type ManagedState = {
  /** The sets of settings in force: of the machine, and of the store. */
  rules(): Rules;
  /** Why an app or connector may not be used; null if it may. */
  refusal(app: ManagedSubject): RuntimeError | null;
  /** What was last accepted of the store; null before the first time. */
  kept(): KeptManaged | null;
  /** Names of settings of the store that this version does not know. */
  unknown(): readonly string[];
  /** @throws RuntimeError `rolled-back` for settings that are older than the last accepted ones, and for others of the same time */
  accept(next: AcceptedManaged, now: number): void;
  /** Records that the store answers that no user is signed in. */
  recordLeft(now: number): void;
};

const HOUR_MS = 3_600_000;

/**
 * Why an app of the store may not be used by a user who is no member of it now: the store says so, or was not reached for longer than
 * the company allows. A clock that is wrong by as much counts as no contact.
 */
function refusalOfMember(rules: Rules, kept: KeptManaged | null, now: number): RuntimeError | null {
  const hours = memberHoursOf(rules);
  if (hours === null || kept === null) return null;
  if (kept.leftAt !== null)
    return new RuntimeError(
      'sign-in-needed',
      'Only members of this store may use its apps. Sign in to the store.',
    );
  if (Math.abs(now - kept.contactAt) < hours * HOUR_MS) return null;
  return new RuntimeError(
    'store-unreachable',
    `The store was not reached for ${hours} hours. Its apps work again after the next contact.`,
  );
}

const isKey = (name: string): name is ManagedKey => MANAGED_KEYS.includes(name as ManagedKey);

/**
 * The settings that this version understands. One that it knows and cannot read makes it as strict as it can be: a setting of the company
 * must not be lost.
 */
export function understood(managed: unknown): ManagedSettings {
  const given = isObject(managed) ? Object.entries(managed).filter(([name]) => isKey(name)) : [];
  const whole = ManagedSettings.safeParse(Object.fromEntries(given));
  if (whole.success) return whole.data;
  const readable = given.flatMap(([name, value]) => {
    const { success, data } = ManagedSettings.safeParse({ [name]: value });
    return success ? [data] : [];
  });
  return Object.assign({}, ...readable, STRICTEST);
}

/** Canonical enough to compare: both are written by the same function from what was signed. */
const textOf = ({ managed, changedAt, signer }: AcceptedManaged): string =>
  JSON.stringify([changedAt, signer, managed]);

function requireNewer(next: AcceptedManaged, last: KeptManaged | null): void {
  // Only the newest key of the store is accepted: another one is its successor.
  if (last === null || next.signer !== last.signer || next.changedAt > last.changedAt) return;
  if (next.changedAt === last.changedAt && textOf(next) === textOf(last)) return;
  throw new RuntimeError(
    'rolled-back',
    'The store offers older managed settings than the last accepted ones.',
    {
      detail: { signedAt: next.changedAt, last: last.changedAt },
    },
  );
}

/** Opens what is kept of the managed settings of a store, which other processes may change. */
export function openManagedState(
  { settings, fromStore }: ManagedOptions,
  { database, transact }: LibraryStorage,
  { store, system }: { store: string; system: Pick<System, 'now'> },
): ManagedState {
  const name = `managed ${store}`;
  const select = database.prepare('select value from settings where name = ?');
  let read: { text: string; kept: KeptManaged; settings: ManagedSettings } | null = null;

  function current() {
    const text = select.get(name)?.value as string | undefined;
    if (text === undefined) return null;
    if (read?.text !== text) {
      // An earlier version wrote the id that the settings named.
      const { keyId, ...rest } = JSON.parse(text) as KeptManaged & { keyId?: string };
      const kept: KeptManaged = { ...rest, signer: rest.signer ?? keyId };
      read = { text, kept, settings: understood(kept.managed) };
    }
    return read;
  }

  const write = (kept: KeptManaged): void => writeSetting(database, name, JSON.stringify(kept));

  const rules = (): Rules => (fromStore ? [settings, current()?.settings ?? STRICTEST] : [settings]);

  return {
    rules,
    refusal(app) {
      const refused = refusalOf(rules(), app);
      if (refused || app.source.kind !== 'store' || app.source.store !== store) return refused;
      return refusalOfMember(rules(), current()?.kept ?? null, system.now());
    },
    kept: () => current()?.kept ?? null,
    unknown: () => Object.keys(current()?.kept.managed ?? {}).filter((key) => !isKey(key)),
    accept: (next, now) =>
      transact(() => {
        requireNewer(next, current()?.kept ?? null);
        const { managed, changedAt, signer } = next;
        write({ managed, changedAt, signer, contactAt: now, leftAt: null });
      }),
    recordLeft: (now) =>
      transact(() => {
        const kept = current()?.kept;
        if (kept && kept.leftAt === null) write({ ...kept, leftAt: now });
      }),
  };
}

function writeSetting(database: DatabaseSync, name: string, value: string): void {
  database.prepare('insert or replace into settings (name, value) values (?, ?)').run(name, value);
}
