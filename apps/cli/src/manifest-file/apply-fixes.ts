import { isDeepStrictEqual } from 'node:util';
import type { BundleEntries } from '@svc/bundle';
import { MANIFEST_FILE } from '@svc/contracts/vocabulary';
import { type Fix, fixesFor, parseManifest } from '@svc/validator';
import type { Mode } from '../check-app.ts';
import { failed } from '../failure.ts';
import { editJson } from './edit-json.ts';
import { stepsOf, valueAt, withChange } from './json-pointer.ts';

/** A fix that was applied: code and JSON Pointer of the finding, and the values before and after (undefined: none). */
export type Fixed = { code: string; path: string; before: unknown; after: unknown };

export type FixOptions = { mode: Mode; entries?: BundleEntries | undefined };

/** A fix may reveal another finding. The limit stops two fixes that undo each other. */
const MAX_ROUNDS = 200;

/** The validator truncates longer steps in its pointers; such a pointer may name another value. */
const MAX_STEP = 255;

const BYTE_ORDER_MARK = '\ufeff';

/** A manifest as text and as its parsed value. */
type Draft = { text: string; value: unknown };

function read(text: string): Draft | undefined {
  const reading = parseManifest(new TextEncoder().encode(text));
  return reading.ok ? { text, value: reading.value } : undefined;
}

/** Applies one fix; undefined when it cannot be applied or changes nothing. */
function applyOne({ text, value }: Draft, { path, change }: Fix): Draft | undefined {
  const steps = stepsOf(path);
  if (steps === undefined || steps.length === 0 || steps.some((step) => step.length > MAX_STEP))
    return undefined;
  const before = valueAt(value, steps);
  if ('put' in change ? isDeepStrictEqual(before, change.put) : before === undefined) return undefined;
  const edited = editJson(text, steps, change);
  if (edited === undefined) return undefined;
  const draft = read(edited);
  if (draft === undefined || !isDeepStrictEqual(draft.value, withChange(value, steps, change))) {
    throw failed(`The fix at ${path} would not give the expected manifest, so nothing was written.`);
  }
  return draft;
}

/** Whether a fix still applies: the value that the checks saw must be unchanged. */
function isStillValid(before: unknown, now: unknown, { path }: Fix): boolean {
  const steps = stepsOf(path) ?? [];
  return isDeepStrictEqual(valueAt(before, steps), valueAt(now, steps));
}

/**
 * Applies the fixes for one state of the manifest. A removal shifts the following items of a list, so it ends the round, and the
 * checks run again.
 */
function applyRound(start: Draft, options: FixOptions, fixed: Fixed[]): Draft {
  const { mode, entries } = options;
  let draft = start;
  for (const fix of fixesFor(start.value, { mode, ...(entries && { entries }) })) {
    const { code, path, change } = fix;
    const next = isStillValid(start.value, draft.value, fix) ? applyOne(draft, fix) : undefined;
    if (next === undefined) continue;
    const before = valueAt(draft.value, stepsOf(path) ?? []);
    fixed.push({ code, path, before, after: 'put' in change ? change.put : undefined });
    draft = next;
    if ('remove' in change) break;
  }
  return draft;
}

/**
 * Applies the fixes that are unambiguous to a `plugin.json`, removes a byte order mark, and changes no other character.
 * @returns the new text with the applied fixes, in order; undefined when the bytes are not a readable manifest
 * @throws CommandError when the changed text would not parse to the expected manifest
 */
export function applyFixes(
  bytes: Uint8Array,
  options: FixOptions,
): { text: string; fixed: Fixed[] } | undefined {
  const fixed: Fixed[] = [];
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
  const isMarked = text.startsWith(BYTE_ORDER_MARK);
  let draft = read(isMarked ? text.slice(1) : text);
  if (draft === undefined) return undefined;
  if (isMarked) {
    fixed.push({
      code: 'bundle.manifest.json',
      path: MANIFEST_FILE,
      before: BYTE_ORDER_MARK,
      after: undefined,
    });
  }
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const next = applyRound(draft, options, fixed);
    if (next === draft) break;
    draft = next;
  }
  return { text: draft.text, fixed };
}
