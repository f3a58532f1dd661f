import type { Context } from 'hono';
import type { Env } from '../../core/access/context.ts';
import type { HandlersOf } from '../../core/access/extension.ts';
import { searchOf } from '../../core/catalog/answer-from-memory.ts';
import { encodeJson, sendEncoded } from '../../core/catalog/routes.ts';
import { file } from '../../core/web/file.ts';
import type { EncodedPage } from '../../http/encoded-page.ts';
import type { PageCache } from '../../platform/page-cache.ts';
import {
  appFeed,
  type FeedDeps,
  type FeedFile,
  type FeedFormat,
  type FeedName,
  feed,
  publisherFeed,
} from './feeds.ts';
import { type OembedDeps, oembed } from './oembed.ts';

export type FeedRouteDeps = FeedDeps &
  OembedDeps & { pages: PageCache<EncodedPage>; details: PageCache<EncodedPage> };

/** The name and the format in the name of a file. */
const feedFileOf = (name: string): [name: string, format: FeedFormat] => {
  const at = name.lastIndexOf('.');
  return [name.slice(0, at), name.slice(at + 1) as FeedFormat];
};

/** What readers of feeds ask for, and sites that show a link to an app. */
export function feedRoutes(deps: FeedRouteDeps): HandlersOf<'feeds'> {
  /** Sends a file from the cache of the pages, by path. */
  const send = async (c: Context<Env>, make: () => Promise<FeedFile>) =>
    sendEncoded(
      c,
      await deps.pages.get(c.req.path, async () => {
        const { type, text } = await make();
        return file(type, text);
      }),
    );
  return {
    appFeed: ({ params }, c) => send(c, () => appFeed(deps, ...feedFileOf(params.file))),
    publisherFeed: ({ params }, c) => send(c, () => publisherFeed(deps, ...feedFileOf(params.file))),
    feed: ({ params }, c) => {
      const [name, format] = feedFileOf(params.feed) as [FeedName, FeedFormat];
      return send(c, () => feed(deps, name, format));
    },
    oembed: async ({ query }, c) =>
      sendEncoded(
        c,
        await deps.details.get(c.req.path + searchOf(c.req.url), async () =>
          encodeJson(await oembed(deps, c.get('brand').name, query)),
        ),
      ),
  };
}
