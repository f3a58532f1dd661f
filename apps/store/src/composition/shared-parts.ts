import { LIMITS } from '@svc/contracts';
import { createVersionCache, SEARCH_BOUNDS } from '../core/catalog/browse.ts';
import { createFileMemory } from '../core/catalog/file-memory.ts';
import type { VersionFacts, VersionPermissions } from '../core/domain/listings/present.ts';
import { createReviewClock } from '../core/domain/versions/review-clock.ts';
import type { VersionRef } from '../core/domain/versions/version-record.ts';
import { createDownloadRecorder } from '../core/installs/download-recorder.ts';
import { createRollbackWatch } from '../core/operations/rollback-watch.ts';
import { createPasswordHasher } from '../core/people/password.ts';
import { createRevocationList } from '../core/revocations/revocation-list.ts';
import { createLastUsedTracker } from '../core/tokens/last-used-tracker.ts';
import { createClientAddress } from '../http/client-address.ts';
import { createCookies } from '../http/cookies.ts';
import type { EncodedPage } from '../http/encoded-page.ts';
import { createGate } from '../platform/gate.ts';
import { createInvalidation } from '../platform/invalidation.ts';
import { linkIssues } from '../platform/link-issues.ts';
import { createMetrics, withTelemetry } from '../platform/metrics.ts';
import { createPageCache } from '../platform/page-cache.ts';
import type { StoreParts } from './open-parts.ts';

const versionUrl = (api: string, { appId, version }: VersionRef): string =>
  `${api}/apps/${encodeURIComponent(appId)}/versions/${encodeURIComponent(version)}`;

const fileUrl = (api: string, ref: VersionRef, kind: 'files' | 'readme', path: string): string =>
  `${versionUrl(api, ref)}/${kind}/${path.split('/').map(encodeURIComponent).join('/')}`;

/** Cached facts of listed versions: the entries of some hundred catalogue pages, a few kilobytes each. */
const CACHED_ENTRIES = 2_000;

/** Cached permissions of versions: some hundred bytes each. */
const CACHED_PERMISSIONS = 10_000;

/** Creates the parts that several features share. */
export function createSharedParts(parts: StoreParts) {
  const { baseUrl, blobs, clock, signingKey } = parts;
  const api = `${baseUrl}/api`;
  const lifetimeMs = LIMITS.catalog.cacheSeconds * 1000;
  const { recordUse, writeUses } = createLastUsedTracker(parts);
  const invalidation = createInvalidation(parts.stores.audit.lastId);
  const rollbacks = createRollbackWatch({ ...parts, ...parts.stores });
  return {
    invalidation,
    pages: createPageCache<EncodedPage>(clock, invalidation, { lifetimeMs, graceMs: parts.pageGraceMs }),
    // One app is quick to render again, and its publisher is likely to look at it next.
    details: createPageCache<EncodedPage>(clock, invalidation, { lifetimeMs, graceMs: 0 }),
    entries: createVersionCache<VersionFacts>(CACHED_ENTRIES),
    permissions: createVersionCache<VersionPermissions>(CACHED_PERMISSIONS),
    files: createFileMemory(blobs),
    searchGate: createGate(SEARCH_BOUNDS),
    metrics: withTelemetry(createMetrics({ faults: parts.faults }), parts.telemetry),
    clientAddress: createClientAddress(parts.trustedProxies, () =>
      parts.log.warn(
        {},
        'A request came through a proxy that is not trusted, so that all of its clients count as one address. If it is your proxy, set SVC_TRUSTED_PROXIES to its address. See docs/proxies.md.',
      ),
    ),
    cookies: createCookies(baseUrl),
    recordUse,
    writeUses,
    ...createDownloadRecorder(parts),
    passwordHasher: createPasswordHasher(parts.argon2),
    hasProviders: parts.providers.size > 0,
    ...parts.personLinks,
    rollbacks,
    revocationList: createRevocationList({
      ...parts,
      unitOfWork: parts.listUnitOfWork,
      revocations: parts.stores.revocations,
      onLostYanks: rollbacks.onLostYanks,
    }),
    reviewClock: createReviewClock({ reviews: parts.stores.reviews, clock }),
    linkIssues: parts.routeNames.has('code') ? linkIssues(baseUrl) : <T>(answer: T) => answer,
    publicKey: { keyId: signingKey.keyId, publicKeyPem: signingKey.publicKeyPem },
    statusUrl: (ref: VersionRef) => `${versionUrl(api, ref)}/status`,
    reviewBundleUrl: (ref: VersionRef) => `${versionUrl(`${api}/moderation`, ref)}/bundle`,
    addresses: {
      bundle: (ref: VersionRef) => `${versionUrl(api, ref)}/bundle`,
      file: (ref: VersionRef, path: string) => fileUrl(api, ref, 'files', path),
      readmePicture: (ref: VersionRef, path: string) => fileUrl(api, ref, 'readme', path),
    },
  };
}

export type SharedParts = ReturnType<typeof createSharedParts>;
