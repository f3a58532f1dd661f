import type { OwnApp } from '@svc/contracts';
import type { Report } from '../check/check-file.ts';
import { WORDS } from './words.ts';

/** The page that a bundle is dropped on: of a publisher, or of one of its apps. */
export type Target = {
  readonly slug: string;
  readonly appId: string | undefined;
  /** The apps of the publisher that the page knows. */
  readonly apps: readonly Pick<OwnApp, 'appId' | 'newest'>[];
};

const { publishBlocker: words } = WORDS;

/**
 * Why a bundle without errors cannot be published on this page; null when no reason is known. The store checks all of this
 * again.
 */
export function publishBlockerOf({ kind, identity }: Report, { slug, appId, apps }: Target): string | null {
  if (kind === 'manifest') return words.manifest;
  if (!identity) return words.noManifest;
  if (identity.publisher !== slug) return words.publisher(identity.publisher, slug);
  if (appId !== undefined && identity.id !== appId) return words.otherApp(identity.id);
  const newest = apps.find((app) => app.appId === identity.id)?.newest.version;
  return newest === identity.version ? words.uploaded(identity.version) : null;
}
