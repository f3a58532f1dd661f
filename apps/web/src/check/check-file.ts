import { readBundle } from '@svc/bundle';
import { type Issue, MANIFEST_FILE } from '@svc/contracts';
import { parseManifest, type ValidateOptions, validateBundle, validateManifest } from '@svc/validator';
import { type Frame, framesOf } from './frames.ts';

export type Mode = 'store' | 'dev';

/** What a manifest calls itself; empty where it does not, or not in words. */
export type Named = {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly publisher: string;
};

/** What the checks say of one file. */
export type Report = {
  readonly name: string;
  /** Size of the file in bytes. */
  readonly size: number;
  readonly kind: 'manifest' | 'bundle';
  /** Undefined when there is no manifest that can be read. */
  readonly named: Named | undefined;
  readonly issues: readonly Issue[];
  /** Lines of `plugin.json` to show with a finding, by its path. */
  readonly frames: ReadonlyMap<string, Frame>;
  /** Files of a bundle that could be opened, as they come in it; sizes in bytes, inflated. */
  readonly files: readonly { readonly name: string; readonly size: number }[];
};

/** A file to check; `bytes` are left out when there are more than anybody should read. */
export type Question = {
  readonly name: string;
  readonly size: number;
  readonly bytes: Uint8Array | undefined;
  readonly mode: Mode;
  /** Whether the store lists apps whose servers are on localhost, as one on the own machine may. */
  readonly localApps?: boolean;
};

/** Checks a `plugin.json` (by its name) or a bundle as the store would. Never throws, whatever the bytes are. */
export function checkFile({ name, size, bytes, mode, localApps }: Question): Report {
  const checks: ValidateOptions = { mode, localhost: localApps ? 'warn' : 'refuse' };
  if (bytes === undefined) return oversized(name, size, checks);
  return name.toLowerCase().endsWith('.json')
    ? checkManifest(name, bytes, checks)
    : checkBundle(name, bytes, checks);
}

function oversized(name: string, size: number, checks: ValidateOptions): Report {
  const { issues } = validateBundle(new Map(), { ...checks, size });
  const aboutSize = issues.filter(({ code }) => code === 'bundle.size');
  return { name, size, kind: 'bundle', named: undefined, issues: aboutSize, frames: new Map(), files: [] };
}

function checkManifest(name: string, bytes: Uint8Array, checks: ValidateOptions): Report {
  const reading = parseManifest(bytes);
  const issues = reading.ok ? validateManifest(reading.value, checks) : reading.issues;
  const about = { name, size: bytes.length, kind: 'manifest', named: namedIn(bytes) } as const;
  return { ...about, issues, frames: framesOf(bytes, issues), files: [] };
}

function namedIn(bytes: Uint8Array | undefined): Named | undefined {
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
  const about = { name, size: bytes.length, kind: 'bundle' } as const;
  if (!reading.ok)
    return { ...about, named: undefined, issues: reading.issues, frames: new Map(), files: [] };
  const { entries } = reading;
  const { issues } = validateBundle(entries, { ...checks, size: bytes.length });
  const files = Array.from(entries, ([file, content]) => ({ name: file, size: content.length }));
  const manifest = entries.get(MANIFEST_FILE);
  return { ...about, named: namedIn(manifest), issues, frames: framesOf(manifest, issues), files };
}
