import type { Issue } from '@svc/contracts';
import type { Fix } from '../src/engine.ts';
import { EXAMPLE_MANIFEST } from '../src/example.ts';
import type { ManifestPatch, Mode, Repair } from '../src/rule.ts';
import { fixesFor, type ValidateOptions, validateManifest } from '../src/validate.ts';
import { isFields, own } from '../src/values.ts';

/** The findings of a check as `code path` lines, which is what most tests are about. */
export function linesOf(issues: readonly Issue[]): string[] {
  return issues.map(({ code, path }) => `${code} ${path}`);
}

/** The findings in the example manifest with these top-level fields replaced; `undefined` removes a field. */
export function findings(
  patch: Readonly<Record<string, unknown>>,
  options: Mode | ValidateOptions = 'store',
): string[] {
  return linesOf(issuesOf(patch, options));
}

export function issuesOf(
  patch: Readonly<Record<string, unknown>>,
  options: Mode | ValidateOptions = 'store',
): Issue[] {
  return validateManifest(exampleWith(patch), typeof options === 'string' ? { mode: options } : options);
}

/** The example manifest with these top-level fields replaced; `undefined` removes a field. */
export function exampleWith(patch: ManifestPatch): unknown {
  const fields = Object.entries({ ...EXAMPLE_MANIFEST, ...patch }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields);
}

/** Maximum rounds of fixes for a manifest in the tests. */
const MAX_ROUNDS = 5;

/** Applies fixes until `fixesFor` returns none; throws after `MAX_ROUNDS` rounds. */
export function fix(manifest: unknown, options: Parameters<typeof fixesFor>[1]): unknown {
  let fixed = manifest;
  for (let round = 0; round <= MAX_ROUNDS; round += 1) {
    const fixes = fixesFor(fixed, options);
    if (fixes.length === 0) return fixed;
    fixed = applyFixes(fixed, fixes);
  }
  throw new Error(`not done after ${MAX_ROUNDS} rounds: ${JSON.stringify(fixesFor(fixed, options))}`);
}

/** Applies the fixes, from the last to the first. */
function applyFixes(manifest: unknown, fixes: readonly Fix[]): unknown {
  return fixes
    .toReversed()
    .reduce((value, { path, change }) => withChange(value, stepsOf(path), change), manifest);
}

/** The steps of a JSON Pointer (RFC 6901). */
function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A copy of the value with one change; throws if the change cannot be applied. */
function withChange(value: unknown, [step, ...rest]: readonly string[], change: Repair): unknown {
  if (step === undefined) {
    if ('put' in change) return change.put;
    throw new Error('the document cannot be removed');
  }
  if (Array.isArray(value)) {
    const index = Number(step);
    if (!(index in value)) throw new Error(`there is no item ${step}`);
    if (rest.length === 0 && 'remove' in change) return value.toSpliced(index, 1);
    return value.with(index, withChange(value[index], rest, change));
  }
  if (!isFields(value)) throw new Error(`nothing to change at ${step}`);
  const entries = Object.entries(value).filter(([key]) => key !== step);
  const isGone = rest.length === 0 && 'remove' in change;
  return Object.fromEntries(
    isGone ? entries : [...entries, [step, withChange(own(value, step), rest, change)]],
  );
}

/** A text of `count` letters. */
export function letters(count: number): string {
  return 'n'.repeat(count);
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** CPU time of this thread so far, in milliseconds; other processes do not affect it. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
