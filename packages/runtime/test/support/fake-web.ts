import type { Guard } from '../../src/accounts/requests.ts';

/** The answer of a server of a fake web; null waits until the request is aborted. */
export type Answer = (request: Request) => Response | Promise<Response> | null;

/** A response with JSON. */
export const json = (value: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(value), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });

/**
 * Fake servers by URL; every other URL answers 404.
 * @returns the guard that calls them, and the requests that they received
 */
export function fakeWeb(pages: Readonly<Record<string, Answer>>) {
  const asked: Request[] = [];
  const bodies: string[] = [];
  const guard: Guard =
    ({ allowed }) =>
    async (input, init) => {
      const request = new Request(input, init);
      const url = new URL(request.url);
      if (!allowed.includes(url.hostname)) throw new Error('outside of what is allowed');
      asked.push(request.clone());
      bodies.push(await request.clone().text());
      const answer = (pages[url.origin + url.pathname] ?? (() => new Response('', { status: 404 })))(request);
      if (answer !== null) return answer;
      const { promise, reject } = Promise.withResolvers<never>();
      const giveUp = () => reject(init?.signal?.reason);
      if (init?.signal?.aborted) giveUp();
      init?.signal?.addEventListener('abort', giveUp);
      return promise;
    };
  const urls = () => asked.map(({ url }) => url);
  return { guard, asked, bodies, urls };
}
