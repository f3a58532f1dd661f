import { type BundleEntries, readBundle } from '@svc/bundle';
import { type Issue, MANIFEST_FILE } from '@svc/contracts';
import { parseManifest, validateBundle, validateManifest } from '@svc/validator';
import type { OpenedApp } from './io/open-app.ts';
import type { LineOf } from './present/issues.ts';

/** Whether an app is checked for the store or for a developer's own folder. */
export type Mode = 'store' | 'dev';

/** What the checks say of an app. */
export type CheckedApp = {
  issues: Issue[];
  /** The manifest as parsed, whatever it holds; undefined when there is none. */
  manifest: unknown;
  /** The files, when it is a bundle that could be opened. */
  entries: BundleEntries | undefined;
  lineOf: LineOf;
};

const nowhere: LineOf = () => undefined;

/**
 * The line finder for a manifest. What is missing at the top has no line, and an issue that is not about the manifest
 * carries the name of an entry, not a pointer.
 */
function lineFinder(bytes: Uint8Array | undefined): LineOf {
  const reading = bytes && parseManifest(bytes);
  if (!reading?.ok) return nowhere;
  const top = reading.locate('');
  return (pointer) => {
    const place = pointer.startsWith('/') ? reading.locate(pointer) : undefined;
    return place?.line === top?.line && place?.column === top?.column ? undefined : place?.line;
  };
}

/** A bundle that no reader should open has one issue, which says all that was wrong with it. */
function collapse(issues: readonly Issue[]): Issue[] {
  const [first] = issues;
  if (issues.length === 1 && first?.code === 'invalid_bundle') return [first];
  const message = issues
    .map((issue) => (issue.path ? `${issue.path}: ${issue.message}` : issue.message))
    .join(' ');
  return [{ code: 'invalid_bundle', level: 'error', path: '', message }];
}

function checkManifest(bytes: Uint8Array, mode: Mode): CheckedApp {
  const reading = parseManifest(bytes);
  if (!reading.ok)
    return { issues: reading.issues, manifest: undefined, entries: undefined, lineOf: nowhere };
  const issues = validateManifest(reading.value, { mode });
  return { issues, manifest: reading.value, entries: undefined, lineOf: lineFinder(bytes) };
}

/** Checks the bytes of a bundle as the store does: first the zip, then what is in it. */
export function checkBundle(bytes: Uint8Array, mode: Mode): CheckedApp {
  const reading = readBundle(bytes);
  if (!reading.ok) {
    return { issues: collapse(reading.issues), manifest: undefined, entries: undefined, lineOf: nowhere };
  }
  const { entries } = reading;
  const { issues, manifest } = validateBundle(entries, { mode, size: bytes.length });
  return { issues, manifest, entries, lineOf: lineFinder(entries.get(MANIFEST_FILE)) };
}

/** Checks whatever a PATH named. A folder has been packed by now, so that it gets the answers its bundle would. */
export function checkApp(app: OpenedApp, mode: Mode): CheckedApp {
  switch (app.kind) {
    case 'manifest':
      return checkManifest(app.bytes, mode);
    case 'bundle':
    case 'folder':
      return checkBundle(app.bytes, mode);
    case 'unpackable':
      return { issues: app.issues, manifest: undefined, entries: undefined, lineOf: nowhere };
    case 'oversized': {
      const { issues } = validateBundle(new Map(), { mode, size: app.size });
      const aboutSize = issues.filter(({ code }) => code === 'bundle.size');
      return { issues: aboutSize, manifest: undefined, entries: undefined, lineOf: nowhere };
    }
  }
}
