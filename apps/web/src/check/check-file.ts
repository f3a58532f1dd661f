import { readBundle } from '@svc/bundle';
import { type Issue, MANIFEST_FILE } from '@svc/contracts';
import { parseManifest, type ValidateOptions, validateBundle, validateManifest } from '@svc/validator';
import { type Frame, framesOf } from './frames.ts';

export type Mode = 'store' | 'dev';

/** The identity in a manifest; a field that is missing or not a string is empty. */
export type Identity = {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly publisher: string;
};

export type Report = {
  readonly name: string;
  /** Size of the file in bytes. */
  readonly size: number;
  readonly kind: 'manifest' | 'bundle';
  /** Undefined when the manifest is missing or cannot be read. */
  readonly identity: Identity | undefined;
  readonly issues: readonly Issue[];
  /** Lines of `plugin.json` to show with a finding, keyed by the path of the finding. */
  readonly frames: ReadonlyMap<string, Frame>;
  /** Files of the bundle in archive order, empty when it cannot be opened; inflated sizes in bytes. */
  readonly files: readonly { readonly name: string; readonly size: number }[];
};

/** A file to check; `bytes` is undefined when the file is too large to read. */
export type CheckRequest = {
  readonly name: string;
  readonly size: number;
  readonly bytes: Uint8Array | undefined;
  readonly mode: Mode;
  /** Whether the store accepts apps whose servers are on localhost, as a store on your own machine may. */
  readonly localApps?: boolean;
};

/** Checks a `.json` file as a manifest, and any other file as a bundle, as the store does. Never throws. */
export function checkFile({ name, size, bytes, mode, localApps }: CheckRequest): Report {
  const checks: ValidateOptions = { mode, localhost: localApps ? 'warn' : 'refuse' };
  if (bytes === undefined) return oversized(name, size, checks);
  return name.toLowerCase().endsWith('.json')
    ? checkManifest(name, bytes, checks)
    : checkBundle(name, bytes, checks);
}

function oversized(name: string, size: number, checks: ValidateOptions): Report {
  const { issues } = validateBundle(new Map(), { ...checks, size });
  const sizeIssues = issues.filter(({ code }) => code === 'bundle.size');
  return {
    name,
    size,
    kind: 'bundle',
    identity: undefined,
    issues: sizeIssues,
    frames: new Map(),
    files: [],
  };
}

function checkManifest(name: string, bytes: Uint8Array, checks: ValidateOptions): Report {
  const reading = parseManifest(bytes);
  const issues = reading.ok ? validateManifest(reading.value, checks) : reading.issues;
  const base = { name, size: bytes.length, kind: 'manifest', identity: identityIn(bytes) } as const;
  return { ...base, issues, frames: framesOf(bytes, issues), files: [] };
}

function identityIn(bytes: Uint8Array | undefined): Identity | undefined {
  const reading = bytes && parseManifest(bytes);
  if (!reading?.ok || typeof reading.value !== 'object' || reading.value === null) return undefined;
  const fields: { [key in string]?: unknown } = { ...reading.value };
  const textOf = (key: string): string => (typeof fields[key] === 'string' ? fields[key] : '');
  return {
    id: textOf('id'),
    name: textOf('name'),
    version: textOf('version'),
    publisher: textOf('publisher'),
  };
}

function checkBundle(name: string, bytes: Uint8Array, checks: ValidateOptions): Report {
  const reading = readBundle(bytes);
  const base = { name, size: bytes.length, kind: 'bundle' } as const;
  if (!reading.ok)
    return { ...base, identity: undefined, issues: reading.issues, frames: new Map(), files: [] };
  const { entries } = reading;
  const { issues } = validateBundle(entries, { ...checks, size: bytes.length });
  const files = Array.from(entries, ([file, content]) => ({ name: file, size: content.length }));
  const manifest = entries.get(MANIFEST_FILE);
  return { ...base, identity: identityIn(manifest), issues, frames: framesOf(manifest, issues), files };
}
