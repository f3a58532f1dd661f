import type { Oembed } from '@svc/contracts';
import { appDetail } from '../../core/catalog/browse.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { FILE_SECONDS } from '../../core/web/file.ts';
import { addressOfApp, addressOfPublisher } from '../../core/web/paths.ts';
import { ApiError } from '../../platform/api-error.ts';

export type OembedDeps = Parameters<typeof appDetail>[0] & Pick<Parts, 'baseUrl' | 'routeNames'>;

type OembedQuery = {
  url: string;
  format?: string | undefined;
  maxwidth?: number | undefined;
  maxheight?: number | undefined;
};

/** Size of the pictures of link previews, in pixels. */
const PREVIEW = { width: 1_200, height: 630 };

/**
 * The description of an app for a page that links to it (oembed.com, sections 2.2 and 2.3).
 * @throws ApiError not_found for an address that is no page of an app
 */
export async function oembed(deps: OembedDeps, name: string, query: OembedQuery): Promise<Oembed> {
  const { baseUrl, routeNames } = deps;
  const url = URL.parse(query.url, baseUrl);
  const [, appId] =
    (url?.origin === new URL(baseUrl).origin && /^\/apps\/([\w.-]+)$/.exec(url.pathname)) || [];
  if (!routeNames.has('appPage') || appId === undefined || (query.format ?? 'json') !== 'json')
    throw new ApiError(
      'not_found',
      `Name a page such as ${baseUrl}/apps/com.example.notes, as url, and the format json.`,
    );
  const app = await appDetail(deps, appId);
  const [maxWidth, maxHeight] = [query.maxwidth ?? PREVIEW.width, query.maxheight ?? PREVIEW.height];
  const fits = maxWidth >= PREVIEW.width && maxHeight >= PREVIEW.height;
  return {
    ...{ version: '1.0', type: 'link', title: app.name, provider_name: name, provider_url: baseUrl },
    ...{ author_name: app.publisher.name, author_url: baseUrl + addressOfPublisher(app.publisher.slug) },
    cache_age: FILE_SECONDS,
    ...(fits && {
      thumbnail_url: `${baseUrl}${addressOfApp(app.appId)}/preview.png`,
      ...{ thumbnail_width: PREVIEW.width, thumbnail_height: PREVIEW.height },
    }),
  };
}
