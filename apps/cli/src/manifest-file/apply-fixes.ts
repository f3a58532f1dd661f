import { isDeepStrictEqual } from 'node:util';
import type { BundleEntries } from '@svc/bundle';
import { MANIFEST_FILE } from '@svc/contracts/vocabulary';
import { type Fix, fixesFor, parseManifest } from '@svc/validator';
import type { Mode } from '../check-app.ts';
import { failed } from '../failure.ts';
import { editJson } from './edit-json.ts';
import { stepsOf, valueAt, withChange } from './json-pointer.ts';

/** What was fixed: the code of the finding, where, what stood there and what stands there now (undefined: nothing). */
export type Fixed = { code: string; path: string; before: unknown; after: unknown };

export type FixOptions = { mode: Mode; entries?: BundleEntries | undefined };

/** One fix may bring another fault to light; two that undo each other would never end. */
const MAX_ROUNDS = 200;

/** The validator cuts longer steps off in the pointers it reports; such a pointer names another place, or none. */
const MAX_STEP = 255;

const BYTE_ORDER_MARK = '\ufeff';

/** A manifest in all its forms; they say the same. */
type Draft = { text: string; value: unknown };

function read(text: string): Draft | undefined {
  const reading = parseManifest(new TextEncoder().encode(text));
  return reading.ok ? { text, value: reading.value } : undefined;
}

/** Makes one change, or says with undefined that it cannot be made or changes nothing. */
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
    throw failed(`The change at ${path} would not read back as it is meant, so nothing was written.`);
  }
  return draft;
}

/** A fix rests on the value that the checks saw; after a change around it, it may mean nothing any more. */
function restsOn(before: unknown, now: unknown, { path }: Fix): boolean {
  const steps = stepsOf(path) ?? [];
  return isDeepStrictEqual(valueAt(before, steps), valueAt(now, steps));
}

/**
 * Makes what can be made of the fixes for one state of the manifest. What is taken away moves what stands behind it in a
 * list, so that ends the round; the checks are asked again then.
 */
function applyRound(start: Draft, options: FixOptions, fixed: Fixed[]): Draft {
  const { mode, entries } = options;
  let draft = start;
  for (const fix of fixesFor(start.value, { mode, ...(entries && { entries }) })) {
    const { code, path, change } = fix;
    const next = restsOn(start.value, draft.value, fix) ? applyOne(draft, fix) : undefined;
    if (next === undefined) continue;
    const before = valueAt(draft.value, stepsOf(path) ?? []);
    fixed.push({ code, path, before, after: 'put' in change ? change.put : undefined });
    draft = next;
    if ('remove' in change) break;
  }
  return draft;
}

/**
 * Fixes in a `plugin.json` what has one right answer, and leaves every other character of it as it is. A byte order mark
 * goes too.
 * @returns the new text with what was fixed, in order; undefined when the bytes are no manifest that can be read
 * @throws CommandError when a change would not read back as exactly what it should
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
