import { type Manifest, remoteNameOf, type ServedTool } from '@svc/contracts';
import { toolDriftOf } from '@svc/permissions';
import type { Listed, StoredTools } from '../../core/domain/tools/served.ts';
import type { CheckState } from './tool-store.ts';

/** Maximum differences that are kept: a moderator reads them. */
const MAX_DRIFT = 100;

/** Maximum characters of a kept value. */
const MAX_VALUE = 2_000;

/** Pauses between two checks of a server, in milliseconds: at least a day, at most a week, whatever the server asks for. */
const DAY_MS = 24 * 3_600_000;
const MAX_PAUSE_MS = 6 * DAY_MS;

/** How long after a check the next one is due: later when the list stays fresh longer, or the server asks to be left alone. */
export function pauseAfter(listed: Listed): number {
  const asked =
    listed.is === 'listed'
      ? listed.ttlMs
      : listed.is === 'not-answering'
        ? (listed.retryAfter ?? 0) * 1_000
        : 0;
  return Math.min(Math.max(DAY_MS, asked), MAX_PAUSE_MS);
}

/** The names on the server of the tools that a manifest declares. */
const declaredNames = ({ contributes }: Pick<Manifest, 'contributes'>): ReadonlySet<string> =>
  new Set((contributes.tools ?? []).map(remoteNameOf));

/** Whether a server lists tools that a client may call with more than a record has. */
export const widens = (
  before: readonly ServedTool[],
  now: readonly ServedTool[],
  manifest: Manifest,
): boolean => toolDriftOf(before, now, declaredNames(manifest)).some((one) => one.widens);

const shortened = (value: unknown): unknown => {
  const json = JSON.stringify(value) ?? 'null';
  return json.length <= MAX_VALUE ? value : `${json.slice(0, MAX_VALUE)}…`;
};

function afterListing(
  { driftSince, notifiedAt }: CheckState,
  { version, manifest, record, at }: Checked,
  served: ServedTool[],
  sticks: boolean,
): CheckState {
  const declared = declaredNames(manifest);
  const drift = toolDriftOf(record?.tools ?? served, served, declared);
  const names = new Set(served.map(({ name }) => name));
  const changed = new Set(drift.map(({ tool }) => tool));
  const asPublished = [...declared].filter((name) => names.has(name) && !changed.has(name)).length;
  const widens = drift.some((one) => one.widens);
  // Those that a person must decide about come first, so that the others cannot crowd them out.
  const kept = [...drift].sort((a, b) => Number(b.widens) - Number(a.widens)).slice(0, MAX_DRIFT);
  return {
    ...{ version, checkedAt: at, outcome: 'listed', declared: declared.size, asPublished },
    drift: kept.map((one) => ({ ...one, before: shortened(one.before), after: shortened(one.after) })),
    ...((widens || (sticks && driftSince !== undefined)) && { driftSince: driftSince ?? at, served }),
    ...(notifiedAt !== undefined && { notifiedAt }),
  };
}

/** A version whose server was listed. */
export type Checked = {
  version: string;
  manifest: Manifest;
  /** What its server had; null when it has not been listed. */
  record: StoredTools | null;
  /** The time of the check. */
  at: string;
};

/**
 * The state of a server after a check. A server that does not answer keeps what it was found to list before. A server that lists again
 * what is recorded needs no decision.
 * @param sticks whether a change waits for a decision even when the server lists what is recorded again
 */
export function stateAfter(
  before: CheckState,
  checked: Checked,
  listed: Listed,
  sticks: boolean,
): CheckState {
  // What was found about the server of another version says nothing about this one.
  const last = before.version === checked.version ? before : {};
  if (listed.is === 'listed') return afterListing(last, checked, listed.tools, sticks);
  const { fault: _fault, failingSince, ...rest } = last;
  const now = { ...rest, version: checked.version, checkedAt: checked.at, outcome: listed.is };
  if (listed.is === 'needs-sign-in') return now;
  return { ...now, fault: listed.fault, failingSince: failingSince ?? checked.at };
}
