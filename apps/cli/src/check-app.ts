import type { BundleEntries } from '@svc/bundle';
import type { Issue } from '@svc/contracts';
import { MANIFEST_FILE } from '@svc/contracts/vocabulary';
import { parseManifest, type ValidateOptions, validateBundle, validateManifest } from '@svc/validator';
import type { OpenedApp } from './io/opened-app.ts';

/** Whether an app is checked for the store or for a developer's own folder. */
export type Mode = 'store' | 'dev';

/** How an app is checked: the mode alone, or with what the store says of servers on localhost. */
export type Checks = Pick<ValidateOptions, 'mode' | 'localhost'>;

/** What the checks say of an app. */
export type CheckedApp = {
  issues: Issue[];
  /** The manifest as parsed, whatever it holds; undefined when there is none. */
  manifest: unknown;
  /** The files, when it is a bundle that could be opened. */
  entries: BundleEntries | undefined;
  /** The bytes of `plugin.json`, for showing where in it a finding lies; undefined when there is none. */
  source: Uint8Array | undefined;
};

/** The verdict on what holds no manifest that could be looked at. */
const without = (issues: Issue[]): CheckedApp => ({
  issues,
  manifest: undefined,
  entries: undefined,
  source: undefined,
});

/** A bundle that no reader should open has one issue, which says all that was wrong with it. */
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
  if (!reading.ok) return { ...without(reading.issues), source };
  const issues = validateManifest(reading.value, checks);
  return { issues, manifest: reading.value, entries: undefined, source };
}

/** Checks the bytes of a bundle as the store does: first the zip, then what is in it. */
export async function checkBundle(bytes: Uint8Array, checks: Checks): Promise<CheckedApp> {
  // Loaded here, as a manifest alone is checked without it.
  const { readBundle } = await import('@svc/bundle');
  const reading = readBundle(bytes);
  if (!reading.ok) return without(collapse(reading.issues));
  const { entries } = reading;
  const { issues, manifest } = validateBundle(entries, { ...checks, size: bytes.length });
  return { issues, manifest, entries, source: entries.get(MANIFEST_FILE) };
}

/** Checks whatever a PATH named. A folder has been packed by now, so that it gets the answers its bundle would. */
export async function checkApp(app: OpenedApp, checks: Checks): Promise<CheckedApp> {
  switch (app.kind) {
    case 'manifest':
      return checkManifest(app.bytes, checks);
    case 'bundle':
    case 'folder':
      return checkBundle(app.bytes, checks);
    case 'unpackable':
      return without(app.issues);
    case 'oversized': {
      const { issues } = validateBundle(new Map(), { ...checks, size: app.size });
      return without(issues.filter(({ code }) => code === 'bundle.size'));
    }
  }
}
