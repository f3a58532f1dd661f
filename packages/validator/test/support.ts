import type { Issue } from '@svc/contracts';
import { EXAMPLE_MANIFEST } from '../src/example.ts';
import type { Mode } from '../src/rule.ts';
import { type ValidateOptions, validateManifest } from '../src/validate.ts';

/** The findings of a check as `code path` lines, which is what most tests are about. */
export function linesOf(issues: readonly Issue[]): string[] {
  return issues.map(({ code, path }) => `${code} ${path}`);
}

/** What is found in the example manifest with these top-level fields put over it; `undefined` takes one away. */
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
  const fields = Object.entries({ ...EXAMPLE_MANIFEST, ...patch }).filter(([, value]) => value !== undefined);
  return validateManifest(
    Object.fromEntries(fields),
    typeof options === 'string' ? { mode: options } : options,
  );
}

/** A text of so many letters. */
export function letters(count: number): string {
  return 'n'.repeat(count);
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
