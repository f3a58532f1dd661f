import type { BundleEntries } from '@svc/bundle';
import type { Issue } from '@svc/contracts';
import { MANIFEST_FILE } from '@svc/contracts/vocabulary';
import { parseManifest, type ValidateOptions, validateBundle, validateManifest } from '@svc/validator';
import type { OpenedApp } from './io/opened-app.ts';

/** Whether an app is checked for the store or for a developer's own folder. */
export type Mode = 'store' | 'dev';

/** How an app is checked: the mode, and the store's rule for servers on localhost where it is known. */
export type Checks = Pick<ValidateOptions, 'mode' | 'localhost' | 'served'>;

export type CheckedApp = {
  issues: Issue[];
  /** The parsed manifest, valid or not; undefined when there is none. */
  manifest: unknown;
  /** The files, when it is a bundle that could be opened. */
  entries: BundleEntries | undefined;
  /** The bytes of `plugin.json`, to show the location of a finding; undefined when there is none. */
  source: Uint8Array | undefined;
};

const withoutManifest = (issues: Issue[]): CheckedApp => ({
  issues,
  manifest: undefined,
  entries: undefined,
  source: undefined,
});

/** Merges all faults of a bundle that no reader should open into one `invalid_bundle` issue. */
function collapse(issues: readonly Issue[]): Issue[] {
  const [first] = issues;
  if (issues.length === 1 && first?.code === 'invalid_bundle') return [first];
  const message = issues
    .map((issue) => (issue.path ? `${issue.path}: ${issue.message}` : issue.message))
    .join(' ');
  return [{ code: 'invalid_bundle', level: 'error', path: '', message }];
}

function checkManifest(source: Uint8Array, checks: Checks): CheckedApp {
  const reading = parseManifest(source);
  if (!reading.ok) return { ...withoutManifest(reading.issues), source };
  const issues = validateManifest(reading.value, checks);
  return { issues, manifest: reading.value, entries: undefined, source };
}

/** Checks the bytes of a bundle as the store does: first the zip, then what is in it. */
export async function checkBundle(bytes: Uint8Array, checks: Checks): Promise<CheckedApp> {
  // Loaded on demand: a manifest alone is checked without it.
  const { readBundle } = await import('@svc/bundle');
  const reading = readBundle(bytes);
  if (!reading.ok) return withoutManifest(collapse(reading.issues));
  const { entries } = reading;
  const { issues, manifest } = validateBundle(entries, { ...checks, size: bytes.length });
  return { issues, manifest, entries, source: entries.get(MANIFEST_FILE) };
}

/** Checks an opened PATH. A folder is already packed here, so it gets the same findings as its bundle. */
export async function checkApp(app: OpenedApp, checks: Checks): Promise<CheckedApp> {
  switch (app.kind) {
    case 'manifest':
      return checkManifest(app.bytes, checks);
    case 'bundle':
    case 'folder':
      return checkBundle(app.bytes, checks);
    case 'unpackable':
      return withoutManifest(app.issues);
    case 'oversized': {
      const { issues } = validateBundle(new Map(), { ...checks, size: app.size });
      return withoutManifest(issues.filter(({ code }) => code === 'bundle.size'));
    }
  }
}
