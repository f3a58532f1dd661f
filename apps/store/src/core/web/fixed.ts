import type { Context } from 'hono';
import { etagOf } from '../../http/encoded-page.ts';
import { publicFor, sendCacheable } from '../../http/send.ts';
import type { Brand } from '../../platform/brand.ts';
import type { Env } from '../access/context.ts';
import type { DocsPage } from './docs-page.ts';

/** How long what changes only with the program may be cached, in seconds. */
export const FIXED_SECONDS = 300;

export type Fixed = (c: Context<Env>) => Response;

/** Answers with content that changes only with the brand of the store. It is made at the first request. */
function fixed(
  type: string,
  make: (brand: Brand) => { text: string; headers?: Record<string, string> },
): Fixed {
  let content:
    | { brand: Brand; body: Uint8Array; headers: Record<string, string> & { ETag: string } }
    | undefined;
  return (c) => {
    const brand = c.get('brand');
    if (content?.brand !== brand) {
      const { text, headers } = make(brand);
      const body = Buffer.from(text);
      const cache = publicFor(FIXED_SECONDS);
      content = {
        brand,
        body,
        headers: { 'Content-Type': type, 'Cache-Control': cache, ...headers, ETag: etagOf(body) },
      };
    }
    return sendCacheable(c, content.body, content.headers);
  };
}

/** Answers with a value as JSON. @param type its media type */
export const fixedJson = (make: () => unknown, type = 'application/json'): Fixed =>
  fixed(`${type}; charset=utf-8`, () => ({ text: JSON.stringify(make()) }));

/** Answers with a page. */
export const fixedPage = (make: () => DocsPage): Fixed =>
  fixed('text/html; charset=utf-8', (brand) => {
    const { text, headers } = make();
    return { text: text(brand), headers };
  });
