import type { OwnApp } from '@svc/contracts';
import type { Report } from '../check/check-file.ts';

/** The page that a bundle is dropped on: of a publisher, or of one of its apps. */
export type Target = {
  readonly slug: string;
  readonly appId: string | undefined;
  /** The apps of the publisher that the page knows. */
  readonly apps: readonly Pick<OwnApp, 'appId' | 'newest'>[];
};

/**
 * Why a bundle without errors cannot be published on this page; null when no reason is known. The store checks all of this
 * again.
 */
export function publishBlockerOf({ kind, identity }: Report, { slug, appId, apps }: Target): string | null {
  if (kind === 'manifest')
    return 'This is only a plugin.json. Run svc pack on its folder, and drop the bundle.';
  if (!identity) return 'The plugin.json of this bundle cannot be read.';
  if (identity.publisher !== slug)
    return `This bundle is for the publisher “${identity.publisher}”, but this page is for “${slug}”. Fix "publisher" in plugin.json, or publish on the page of that publisher.`;
  if (appId !== undefined && identity.id !== appId)
    return `This bundle is for another app, ${identity.id}. Publish it on the page of your publisher.`;
  const newest = apps.find((app) => app.appId === identity.id)?.newest.version;
  return newest === identity.version
    ? `Version ${identity.version} was already uploaded. Increase "version" in plugin.json, pack again, and drop the new bundle.`
    : null;
}
