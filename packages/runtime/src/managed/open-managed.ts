import { MANAGED_KEYS, MANAGED_WORDS, type ManagedKey, type ManagedSettings } from '@svc/contracts';
import type { RefusalCode } from '../platform/runtime-error.ts';
import type { Problem } from './carry-out.ts';
import type { ManagedOptions } from './managed-options.ts';
import type { Rules } from './rules.ts';
import type { ManagedState } from './state.ts';
import type { ManagedWatch } from './watch.ts';

/** A setting that the company decided. */
type ManagedView = { key: ManagedKey; title: string; text: string; from: 'machine' | 'store' };

/** The settings of a company that are in force, for pages and for a client that enforces those of them that are its own. */
export type Managed = {
  /** The sets of settings in force: each must allow what is done. */
  rules(): Rules;
  list(): ManagedView[];
  /** How it stands with the settings of the store; null where only the machine sets some. Times are ISO 8601. */
  ofStore(): {
    changedAt: string | null;
    contactAt: string | null;
    refused: RefusalCode | null;
    unknown: readonly string[];
  } | null;
  problems(): readonly Problem[];
  /** Fetches the settings of the store and carries them out now. */
  check(signal?: AbortSignal): Promise<RefusalCode | null>;
};

function viewsOf(set: ManagedSettings, from: ManagedView['from']): ManagedView[] {
  return MANAGED_KEYS.flatMap((key) => {
    const value = set[key];
    if (value === undefined) return [];
    const { title, text } = MANAGED_WORDS[key] as { title: string; text(value: unknown): string };
    return [{ key, title, text: text(value), from }];
  });
}

/** What clients see of managed settings. */
export function createManaged(
  { fromStore }: ManagedOptions,
  state: ManagedState,
  watch: ManagedWatch,
): Managed {
  return {
    rules: () => state.rules(),
    list() {
      const [machine = {}, store = {}] = state.rules();
      return [...viewsOf(machine, 'machine'), ...(fromStore ? viewsOf(store, 'store') : [])];
    },
    ofStore() {
      if (!fromStore) return null;
      const kept = state.kept();
      return {
        changedAt: kept?.changedAt ?? null,
        contactAt: kept ? new Date(kept.contactAt).toISOString() : null,
        refused: watch.refused(),
        unknown: state.unknown(),
      };
    },
    problems: () => watch.problems(),
    check: (signal) => watch.check(signal),
  };
}
