import {
  type AppDetail,
  type CatalogEntry,
  type Deprecation,
  type PublishedVersion,
  type Publisher,
  type PublisherSummary,
  remoteNameOf,
} from '@svc/contracts';
import { signedFootprintOf } from '@svc/permissions';
import type { ServerFound, StoredTools } from '../tools/served.ts';
import { signedOriginOf } from '../versions/origin.ts';
import type { PublishedRecord, VersionRecord, VersionRef } from '../versions/version-record.ts';
import type { ListedApp } from './listing.ts';
import { taglineOf } from './tagline.ts';

/** Creates the public URLs of the files of a version. */
export type Addresses = {
  bundle(ref: VersionRef): string;
  file(ref: VersionRef, path: string): string;
  readmePicture(ref: VersionRef, path: string): string;
};

const summaryOf = ({
  slug,
  name,
  verified,
  verifiedHost = '',
  website = '',
}: Publisher): PublisherSummary => ({ slug, name, verified, verifiedHost, website });

/** The publication time and the signature of a version. @throws Error for one without, which must not be shown */
function signatureOf({ publishedAt, signature, keyId }: PublishedRecord) {
  if (publishedAt === null || signature === null || keyId === null)
    throw new Error('An unsigned version is shown.');
  return { publishedAt, signature, keyId };
}

/** The part of an entry that comes from its version, and never changes. */
export type VersionFacts = Omit<CatalogEntry, 'publisher' | 'publishedAt' | 'installs' | 'rating'>;

/** Presents the facts of a published version. Permissions come from the footprint, so that the list shows what was signed. */
export function factsOfVersion(record: VersionRecord, to: Addresses): VersionFacts {
  // Throws for a version that was never signed.
  signatureOf(record);
  const { manifest, appId, version, size } = record;
  const { branding, homepage = '', support = '' } = manifest;
  const { grants, domains } = signedFootprintOf(manifest);
  return {
    appId,
    name: manifest.name,
    tagline: taglineOf(manifest.description),
    description: manifest.description,
    categories: manifest.categories ?? [],
    version,
    iconUrl: to.file(record, branding.icon),
    markUrl: branding.mark === undefined ? '' : to.file(record, branding.mark),
    accent: branding.accent ?? '',
    screenshots: (branding.screenshots ?? []).map((path) => to.file(record, path)),
    permissions: manifest.permissions,
    grants,
    domains,
    accounts: (manifest.accounts ?? []).map(({ id, label, scopes, required = false }) => ({
      id,
      label,
      scopes,
      required,
    })),
    tools: (manifest.contributes.tools ?? []).map(({ id, name, description }) => ({ id, name, description })),
    homepage,
    support,
    // A version with a reason is published only after the decision of a moderator.
    reviewed: record.reasons.length > 0,
    size,
    ...(record.origin && { origin: { store: record.origin.store, publisher: record.origin.publisher } }),
  };
}

export const presentEntry = (
  { publisher, publishedAt, installs, rating }: ListedApp,
  facts: VersionFacts,
): CatalogEntry => ({ ...facts, publisher: summaryOf(publisher), publishedAt, installs, rating });

/** The part of a version in an app's detail that comes from its manifest, and never changes. */
export type VersionPermissions = VersionRef & Pick<PublishedVersion, 'grants' | 'domains' | 'accounts'>;

/** The signed permissions of a published version. */
export const permissionsOfVersion = ({ appId, version, manifest }: VersionRecord): VersionPermissions => ({
  appId,
  version,
  ...signedFootprintOf(manifest),
});

function presentVersion(
  record: PublishedRecord,
  ofVersion: VersionPermissions,
  to: Addresses,
): PublishedVersion {
  const { grants, domains, accounts } = ofVersion;
  const { version, changelog, sha256, size } = record;
  return {
    version,
    ...signatureOf(record),
    changelog,
    sha256,
    size,
    grants,
    domains,
    accounts,
    bundleUrl: to.bundle(record),
    ...(record.source && { source: record.source }),
    ...(record.attestation && { attestation: record.attestation }),
    ...(record.deprecated !== undefined && { deprecated: record.deprecated }),
    ...(record.origin && { origin: signedOriginOf(record.origin) }),
  };
}

/** The declared tools, with what the server said of each. */
function toolsOf({ manifest }: VersionRecord, record: StoredTools | null): AppDetail['tools'] {
  const served = new Map(record?.tools.map((tool) => [tool.name, tool]));
  return (manifest.contributes.tools ?? []).map((tool) => {
    const { id, name, description, remoteName } = tool;
    const { inputSchema, outputSchema, annotations } = served.get(remoteNameOf(tool)) ?? {};
    return {
      ...{ id, name, description },
      ...(remoteName !== undefined && { remoteName }),
      ...(inputSchema && { inputSchema }),
      ...(outputSchema && { outputSchema }),
      ...(annotations && { annotations }),
    };
  });
}

/**
 * Presents an app with its README and its published versions.
 * @param published its versions, newest first
 * @param permissions the permissions of each of them
 */
export function presentDetail(
  app: ListedApp,
  latest: VersionRecord,
  {
    published,
    permissions,
    server: { tools, status },
    deprecation,
  }: {
    published: readonly PublishedRecord[];
    permissions: readonly VersionPermissions[];
    server: ServerFound;
    deprecation: Deprecation | null;
  },
  to: Addresses,
): AppDetail {
  const byVersion = new Map(permissions.map((ofVersion) => [ofVersion.version, ofVersion]));
  const versions = published.flatMap((record) => {
    const ofVersion = byVersion.get(record.version);
    return ofVersion ? [presentVersion(record, ofVersion, to)] : [];
  });
  return {
    ...presentEntry(app, factsOfVersion(latest, to)),
    tools: toolsOf(latest, tools),
    server: status,
    ...(deprecation && { deprecation }),
    readme: latest.readme,
    versions,
  };
}
