import type { Guard } from '../../src/accounts/requests.ts';

/** What a server of a fake web answers; null hangs until the request is given up. */
export type Answer = (request: Request) => Response | Promise<Response> | null;

/** JSON as a server sends it. */
export const json = (value: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(value), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });

/**
 * Servers that lie, by address; what has none answers 404.
 * @returns the guard that reaches them, and all that they were asked
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
