import type { Context } from 'hono';
import type { RouteHandler } from '../../access/bind-route.ts';
import type { Env } from '../../access/context.ts';
import type { ListingStore } from '../../domain/listings/listing-store.ts';
import type { VersionStore } from '../../domain/versions/version-store.ts';
import { sendCacheable } from '../../http/send.ts';
import { ApiError } from '../../platform/api-error.ts';
import { networkOf } from '../../platform/network-of.ts';
import { rasterHeaders } from '../catalog/file-headers.ts';
import type { FileMemory } from '../catalog/file-memory.ts';
import type { LinkPreview, Previews } from '../pictures/previews.ts';
import { type PublisherPageDeps, requirePublicPublisher } from './load-publisher-page.ts';
import { previewOfApp } from './previews.ts';
import { WORDS } from './words.ts';

export type PreviewRouteDeps = PublisherPageDeps & {
  listings: Pick<ListingStore, 'find'>;
  versions: Pick<VersionStore, 'find'>;
  files: FileMemory;
  previews: Previews;
};

/** Sends a preview. Recently requested ones are in memory. */
async function sendPreview(
  { files }: PreviewRouteDeps,
  c: Context<Env>,
  preview: LinkPreview,
): Promise<Response> {
  const network = networkOf(c.get('address'));
  const make = () => preview.png({ account: network, network });
  const { bytes } = await files.generated(`preview ${preview.hash}`, make, () => true);
  return sendCacheable(c, bytes, rasterHeaders(bytes));
}

/** @throws ApiError not_found */
async function requireListed({ listings, versions }: PreviewRouteDeps, appId: string) {
  const app = await listings.find(appId);
  const record = app && (await versions.find(app));
  if (!app || !record) throw new ApiError('not_found', `There is no published app ${appId}.`);
  return { app, record };
}

/** The link preview pictures, which chats and social networks show. */
export const previewRoutes = (deps: PreviewRouteDeps) => ({
  cataloguePreview: ((c) =>
    sendPreview(deps, c, deps.previews.ofStore(WORDS.tagline))) satisfies RouteHandler<'cataloguePreview'>,
  appPreview: (async (c, { params }) => {
    const { app, record } = await requireListed(deps, params.appId);
    return sendPreview(deps, c, previewOfApp(deps.previews, record, app.publisher));
  }) satisfies RouteHandler<'appPreview'>,
  publisherPreview: (async (c, { params }) =>
    sendPreview(
      deps,
      c,
      deps.previews.ofPublisher((await requirePublicPublisher(deps, params.slug)).publisher),
    )) satisfies RouteHandler<'publisherPreview'>,
});
