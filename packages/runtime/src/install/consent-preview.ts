import type { Change, Footprint, Manifest, OriginStatement, PermissionDiff } from '@svc/contracts';
import { asksAgain, permissionDiff, steersAgents } from '@svc/permissions';
import type { Release, ReleaseSignature } from '@svc/signing';
import type { AppPictures, CardApp, ConsentCard, PicturePair } from '../cards/card.ts';
import type { Requirement } from '../library/client.ts';
import type { InstalledApp, StoreApp } from '../library/installed-app.ts';
import { hashOfJson } from '../platform/json-hash.ts';

/** The consent preview of an install. All of it comes from the verified manifest, nothing from the catalogue. */
export type InstallSheet = {
  app: CardApp;
  description: string;
  /** Permissions in the words of the publisher. */
  permissions: readonly string[];
  /** The computed permissions and identity of the app. */
  footprint: Footprint;
  accounts: readonly { id: string; label: string; scopes: readonly string[]; required: boolean }[];
  requirements: readonly Requirement[];
  /** Chat providers that get its tools; null when all do. */
  providers: readonly string[] | null;
  source: { store: string; sha256: string; publishedAt: string; keyId: string };
  /** The store that published it first, and the name of the one that carries it, as both signed; absent when it is from its own store. */
  origin?: { store: string; carriedBy: string };
  /** Size of the bundle. */
  bytes: number;
  /** Installed version; null when there is none. */
  replaces: string | null;
  /** Permission changes that need consent; null when there are none, and for a first install. */
  widened: PermissionDiff | null;
  /** What the version changes of what steers agents: tools, their names and descriptions. Show it; a moderator has reviewed it. */
  instructions: readonly Change[];
  pictures: PicturePair;
  /** The hosts of the app that are inside a private network of this machine. */
  inside: readonly string[];
  /** Whether the user must agree. */
  needsConsent: boolean;
  /** Hash of this version and its bytes; the answer repeats it. */
  binding: string;
};

/** What the user is asked about besides permissions and appearance. */
export type AskAbout = { instructions: boolean };

/** The permission changes of a version, and whether they need consent. */
function changesOf({ version, consent }: InstalledApp, footprint: Footprint, about: AskAbout) {
  const diff = permissionDiff({ version, footprint: consent }, footprint);
  return { diff, asks: asksAgain(diff, about) };
}

/** Whether a version has changes that need consent. */
export const needsConsentAgain = (installed: InstalledApp, footprint: Footprint, about: AskAbout): boolean =>
  changesOf(installed, footprint, about).asks;

/** The hash that an answer is bound to; the hash of the bundle covers its contents. */
const bindingOf = (store: string, { appId, version, sha256 }: Release): string =>
  hashOfJson({ appId, sha256, store, version });

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

/** Builds the consent preview of a verified version. */
export function buildConsentPreview(
  store: string,
  {
    manifest,
    footprint,
    release,
    bytes,
    inside,
    carried,
  }: {
    manifest: Manifest;
    footprint: Footprint;
    release: Release & ReleaseSignature;
    bytes: Uint8Array;
    inside: readonly string[];
    carried: OriginStatement | undefined;
  },
  installed: StoreApp | null,
  requirements: readonly Requirement[],
  about: AskAbout,
): InstallSheet {
  const changed = installed && changesOf(installed, footprint, about);
  const widened = changed?.asks ? changed.diff : null;
  const { sha256, publishedAt, keyId } = release;
  return {
    app: cardApp(manifest),
    description: manifest.description,
    permissions: manifest.permissions,
    // A copy, so that changes by the caller do not affect the stored footprint.
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
    ...(carried && { origin: { store: carried.origin.store, carriedBy: carried.carriedBy } }),
    bytes: bytes.length,
    replaces: installed?.version ?? null,
    widened,
    instructions: changed?.diff.changes.filter(steersAgents) ?? [],
    pictures: {
      before: installed && picturesIn(installed.source.sha256, installed.manifest),
      after: picturesIn(sha256, manifest),
    },
    inside,
    needsConsent: installed === null || widened !== null,
    binding: bindingOf(store, release),
  };
}

/** The consent card of a preview. */
export const consentCard = ({
  app,
  permissions,
  footprint,
  widened,
  pictures,
  inside,
  origin,
  binding,
}: InstallSheet): ConsentCard => ({
  kind: 'consent',
  app,
  permissions,
  footprint,
  widened,
  pictures,
  inside,
  ...(origin && { origin }),
  binding,
});
