import { openApiDocument, type PublicKey } from '@svc/contracts';
import type { Context } from 'hono';
import { etagOf } from '../catalog/page-cache.ts';
import type { Env } from '../http/context.ts';
import { publicFor, sendCacheable } from '../http/send.ts';
import { docsPage } from './docs-page.ts';

/** How long a description may be kept, in seconds: it changes only with the program. */
const CACHE_SECONDS = 300;

/** An answer that never changes while the store runs, made when it is first asked for. */
function fixed(type: string, make: () => { text: string; headers?: Record<string, string> }) {
  let made: { body: Uint8Array; headers: Record<string, string> & { ETag: string } } | undefined;
  return () => {
    if (!made) {
      const { text, headers } = make();
      const body = Buffer.from(text);
      const cache = publicFor(CACHE_SECONDS);
      made = {
        body,
        headers: { 'Content-Type': type, 'Cache-Control': cache, ...headers, ETag: etagOf(body) },
      };
    }
    return made;
  };
}

/** The API's description, for machines and for people, and the store's public key. */
export function apiDocsRoutes(deps: { baseUrl: string; publicKey: PublicKey }) {
  const json = 'application/json; charset=utf-8';
  const openApi = fixed(json, () => ({ text: JSON.stringify(openApiDocument(deps.baseUrl)) }));
  const page = fixed('text/html; charset=utf-8', () => docsPage(deps.baseUrl));
  const key = fixed(json, () => ({ text: JSON.stringify(deps.publicKey) }));
  const send =
    (answer: typeof openApi) =>
    (c: Context<Env>): Response => {
      const { body, headers } = answer();
      return sendCacheable(c, body, headers);
    };
  return { openApi: send(openApi), docs: send(page), publicKey: send(key) };
}
