import { type BundleEntries, readBundle } from '@svc/bundle';
import { type Footprint, type Issue, MANIFEST_FILE, type Manifest } from '@svc/contracts';
import { footprintOf } from '@svc/permissions';
import { type KeyRing, verifyHashedBundle } from '@svc/signing';
import {
  hasErrors,
  parseManifest,
  type ValidateOptions,
  validateBundle,
  validateManifest,
} from '@svc/validator';
import { asManifest } from '@svc/validator/as-manifest';
import { hashIn } from '../library/library-database.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { Download } from '../store/store-reader.ts';

const invalid = (issues: readonly Issue[]): RuntimeError =>
  new RuntimeError('invalid-app', undefined, { detail: { issues } });

const refuseErrors = (issues: readonly Issue[]): void => {
  if (hasErrors(issues)) throw invalid(issues);
};

function readEntries(bytes: Uint8Array): BundleEntries {
  const reading = readBundle(bytes);
  if (!reading.ok) throw invalid(reading.issues);
  return reading.entries;
}

/** The manifest inside. One with errors is never believed, no matter who signed it: what it means could be read in two ways. */
function manifestIn(entries: BundleEntries, checks: ValidateOptions): Manifest {
  const reading = parseManifest(entries.get(MANIFEST_FILE) ?? new Uint8Array());
  if (!reading.ok) throw invalid(reading.issues);
  refuseErrors(validateManifest(reading.value, checks));
  return asManifest(reading.value, checks.localhost);
}

function requireSigned({ sha256, release }: Download, manifest: Manifest, keys: KeyRing): void {
  const verdict = verifyHashedBundle(sha256, manifest, release, keys);
  if (verdict.ok) return;
  throw new RuntimeError('not-verified', verdict.message, { detail: { refusal: verdict.refusal } });
}

/** Lets others have the thread in between: the client's window, and the writing of the bytes. */
const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Opens a bundle that a store sent, and gives the manifest inside it with its footprint. Nothing else in it is looked at before its signature
 * is found to cover its bytes and what its manifest reaches.
 * @param localApps whether the app may have its servers on this machine
 * @throws RuntimeError `invalid-app` with the `issues`, `not-verified`
 */
export async function openBundle(
  download: Download,
  keys: KeyRing,
  localApps = false,
): Promise<{ manifest: Manifest; footprint: Footprint }> {
  const { bytes } = download;
  const checks = { mode: 'store', localhost: localApps ? 'warn' : 'refuse' } as const;
  const entries = readEntries(bytes);
  await pause();
  const manifest = manifestIn(entries, checks);
  requireSigned(download, manifest, keys);
  await pause();
  // Disguised scripts are a warning: the store had a person look at them.
  refuseErrors(validateBundle(entries, { ...checks, size: bytes.length, skipScripts: true }).issues);
  return { manifest, footprint: footprintOf(manifest, hashIn(entries)) };
}
