import type { Extension } from '../../core/access/extension.ts';
import { addressOfApp } from '../../core/web/paths.ts';
import { feedLink, STORE_FEEDS } from './feeds.ts';
import { type FeedRouteDeps, feedRoutes } from './routes.ts';

/** Feeds of apps, publishers and yanks (Atom, JSON Feed), and the description of an app for sites that link to it (oEmbed). */
export const feeds: Extension<FeedRouteDeps> = {
  name: 'feeds',
  open: (parts) => ({
    routes: feedRoutes(parts),
    additions: {
      alternates: {
        catalogue: () => STORE_FEEDS,
        app: ({ appId, name }) => [
          feedLink(name, `/feeds/apps/${encodeURIComponent(appId)}`),
          {
            ...{ type: 'application/json+oembed', title: name },
            href: `/oembed?url=${encodeURIComponent(addressOfApp(appId))}`,
          },
        ],
        publisher: ({ slug, name }) => [feedLink(name, `/feeds/publishers/${slug}`)],
      },
      llms: (baseUrl) => ({
        feeds: `[New apps](${baseUrl}/feeds/new.atom), [updated apps](${baseUrl}/feeds/updated.atom), [yanked versions](${baseUrl}/feeds/yanks.atom)`,
      }),
    },
  }),
};
