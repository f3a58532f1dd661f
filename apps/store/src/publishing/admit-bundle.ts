import { readBundle } from '@svc/bundle';
import type { Issue, Manifest } from '@svc/contracts';
import { asManifest, hasErrors, validateBundle } from '@svc/validator';
import { Refusal } from '../platform/refusal.ts';
import { imageTypeOf } from './image-type.ts';

/** A bundle that passed the store's checks. */
export type Candidate = {
  manifest: Manifest;
  /** Warnings only. */
  issues: Issue[];
  readme: string;
  changelog: string;
  /** The pictures that the branding names, with the type their bytes show. */
  pictures: { path: string; type: string; bytes: Uint8Array }[];
};

const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;

const textOf = (bytes: Uint8Array | undefined): string => (bytes ? new TextDecoder().decode(bytes) : '');

function picturesOf(manifest: Manifest, entries: ReadonlyMap<string, Uint8Array>): Candidate['pictures'] {
  const { icon, mark, screenshots = [] } = manifest.branding;
  return [...new Set([icon, ...(mark ? [mark] : []), ...screenshots])].flatMap((path) => {
    const bytes = entries.get(path);
    const type = bytes && imageTypeOf(bytes);
    return type ? [{ path, type, bytes }] : [];
  });
}

/**
 * Opens a bundle and runs the store's checks on it.
 * @param bytes the zip as received
 * @throws Refusal invalid_bundle when readers would disagree on the zip, validation_failed when a check found an error
 */
export function admitBundle(bytes: Uint8Array, reservedNames: readonly string[]): Candidate {
  const reading = readBundle(bytes);
  if (!reading.ok) {
    throw new Refusal(
      'invalid_bundle',
      'The body is not a zip that can be trusted: see issues, and pack it anew.',
      {
        issues: reading.issues,
      },
    );
  }
  const { entries } = reading;
  const verdict = validateBundle(entries, { mode: 'store', size: bytes.byteLength, reservedNames });
  if (hasErrors(verdict.issues)) {
    const errors = verdict.issues.filter(({ level }) => level === 'error').length;
    throw new Refusal('validation_failed', `The store checks found ${count(errors, 'error')}: see issues.`, {
      issues: verdict.issues,
    });
  }
  const manifest = asManifest(verdict.manifest);
  return {
    manifest,
    issues: verdict.issues,
    readme: textOf(entries.get('README.md')),
    changelog: textOf(entries.get('CHANGELOG.md')),
    pictures: picturesOf(manifest, entries),
  };
}
