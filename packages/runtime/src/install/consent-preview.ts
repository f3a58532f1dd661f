import { createHash } from 'node:crypto';
import type { Footprint, Manifest, PermissionDiff } from '@svc/contracts';
import { asksAgain, permissionDiff } from '@svc/permissions';
import { canonicalJson, type Release, type ReleaseSignature } from '@svc/signing';
import type { AppPictures, CardApp, ConsentCard, PicturePair } from '../cards/card.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import type { Requirement } from '../library/requirements.ts';

/** What a person is shown before an app is installed. All of it is from the verified manifest, nothing from the catalogue. */
export type InstallSheet = {
  app: CardApp;
  description: string;
  /** What the app may do, in the words of its publisher. */
  permissions: readonly string[];
  /** What it may do, and by what it is recognised. */
  footprint: Footprint;
  accounts: readonly { id: string; label: string; scopes: readonly string[]; required: boolean }[];
  requirements: readonly Requirement[];
  /** Chat providers that get its tools; null when all do. */
  providers: readonly string[] | null;
  source: { store: string; sha256: string; publishedAt: string; keyId: string };
  /** Size of the bundle. */
  bytes: number;
  /** Version that is installed now; null when there is none. */
  replaces: string | null;
  /** What it changes about what was agreed to; null when that needs no consent, and at a first install. */
  widened: PermissionDiff | null;
  pictures: PicturePair;
  /** Whether a person must agree. */
  needsConsent: boolean;
  /** Of exactly this version and its bytes; the answer repeats it. */
  binding: string;
};

/** What a version changes about what the user agreed to; null when the user need not be asked. */
export function changesAgreed(
  { version, consent }: InstalledApp,
  footprint: Footprint,
): PermissionDiff | null {
  const diff = permissionDiff({ version, footprint: consent }, footprint);
  return asksAgain(diff) ? diff : null;
}

/** What an answer is bound to. The hash of the bundle stands for all that is in it. */
const bindingOf = (store: string, { appId, version, sha256 }: Release): string =>
  createHash('sha256').update(canonicalJson({ appId, sha256, store, version })).digest('hex');

const cardApp = ({ id, name, version, publisher }: Manifest): CardApp => ({
  appId: id,
  name,
  version,
  publisher,
});

const picturesIn = (sha256: string, { branding: { icon, mark } }: Manifest): AppPictures => ({
  sha256,
  icon,
  mark: mark ?? null,
});

/** Apps that are no bundle of a store have no pictures here. */
const picturesOf = ({ source, manifest }: InstalledApp): AppPictures | null =>
  source.kind === 'store' ? picturesIn(source.sha256, manifest) : null;

/** Writes the sheet of a version that was verified. */
export function buildConsentPreview(
  store: string,
  {
    manifest,
    footprint,
    release,
    bytes,
  }: { manifest: Manifest; footprint: Footprint; release: Release & ReleaseSignature; bytes: Uint8Array },
  installed: InstalledApp | null,
  requirements: readonly Requirement[],
): InstallSheet {
  const widened = installed && changesAgreed(installed, footprint);
  const { sha256, publishedAt, keyId } = release;
  return {
    app: cardApp(manifest),
    description: manifest.description,
    permissions: manifest.permissions,
    // A copy: what the sheet's reader does to it changes nothing that is kept.
    footprint: structuredClone(footprint),
    accounts: (manifest.accounts ?? []).map(({ id, label, scopes, required = false }) => ({
      id,
      label,
      scopes,
      required,
    })),
    requirements,
    providers: manifest.requires?.providers ?? null,
    source: { store, sha256, publishedAt, keyId },
    bytes: bytes.length,
    replaces: installed?.version ?? null,
    widened,
    pictures: { before: installed && picturesOf(installed), after: picturesIn(sha256, manifest) },
    needsConsent: installed === null || widened !== null,
    binding: bindingOf(store, release),
  };
}

/** The sheet as a question. */
export const consentCard = ({
  app,
  permissions,
  footprint,
  widened,
  pictures,
  binding,
}: InstallSheet): ConsentCard => ({
  kind: 'consent',
  app,
  permissions,
  footprint,
  widened,
  pictures,
  binding,
});
