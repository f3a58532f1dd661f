import type { OwnApp } from '@svc/contracts';
import type { Report } from '../check/check-file.ts';
import { WORDS } from './words.ts';

/** Where a bundle is to be published: for which publisher, and on the page of an app, as that app. */
export type Target = {
  readonly slug: string;
  readonly appId: string | undefined;
  /** The apps of the publisher that the page knows. */
  readonly apps: readonly Pick<OwnApp, 'appId' | 'newest'>[];
};

const { publishBlocker: words } = WORDS;

/**
 * Why a bundle in which the checks found no error cannot be published here all the same; null when nothing is known. The
 * store asks all of this again.
 */
export function publishBlockerOf({ kind, named }: Report, { slug, appId, apps }: Target): string | null {
  if (kind === 'manifest') return words.manifest;
  if (!named) return words.noManifest;
  if (named.publisher !== slug) return words.publisher(named.publisher, slug);
  if (appId !== undefined && named.id !== appId) return words.otherApp(named.id);
  const newest = apps.find((app) => app.appId === named.id)?.newest.version;
  return newest === named.version ? words.uploaded(named.version) : null;
}
