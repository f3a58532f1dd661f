import { type Runtime, RuntimeError, type System } from '@svc/runtime';
import { z } from 'zod';
import { sendJson } from '../http/answer.ts';
import { type Exchange, HttpError, invalid, on, type Route, readJson } from '../http/exchange.ts';
import { bearerIn, newSecret, proofOf, sameSecret } from '../http/secret.ts';

const MAX_BYTES = 1_024;

const Decision = z.strictObject({
  appId: z.string().min(1).max(200),
  binding: z.string().min(1).max(200),
  as: z.enum(['accept', 'reject']),
});

const Hello = z.strictObject({ challenge: z.string().regex(/^[\w-]{43}$/) });

/** HTTP endpoints for programs of the same user, which read the bearer from the folder. */
export type ControlEndpoint = {
  bearer: string;
  routes: Route[];
};

/**
 * Creates the endpoints for programs, on the socket. The desktop proves that it knows the bearer before a program sends it: on Windows
 * another user may open a pipe with the name of that of a desktop that has exited.
 * @param newLink creates a one-time link
 */
export function createControl(
  system: Pick<System, 'randomBytes'>,
  { toolChanges, installer }: Pick<Runtime, 'toolChanges' | 'installer'>,
  newLink: () => string,
): ControlEndpoint {
  const bearer = newSecret(system);
  const requireBearer = ({ request }: Pick<Exchange, 'request'>): void => {
    if (!sameSecret(bearerIn(request.headers.authorization), bearer))
      throw new HttpError(401, 'unauthorized', 'The bearer is not valid for this desktop.');
  };
  const routes: Route[] = [
    on('POST /control/hello', async ({ request, response }) => {
      const hello = Hello.safeParse(await readJson(request, MAX_BYTES));
      if (!hello.success) throw invalid('Send { "challenge": "…" } of 32 random bytes as base64url.');
      sendJson(response, { proof: proofOf(bearer, hello.data.challenge) });
    }),
    on('POST /control/link', async (exchange) => {
      requireBearer(exchange);
      await readJson(exchange.request, MAX_BYTES);
      sendJson(exchange.response, { link: newLink() });
    }),
    on('POST /control/updates', async (exchange) => {
      requireBearer(exchange);
      await readJson(exchange.request, MAX_BYTES);
      sendJson(exchange.response, { changes: toolChanges.list(), stale: installer.stale() });
    }),
    on('POST /control/decide', async (exchange) => {
      requireBearer(exchange);
      const decision = Decision.safeParse(await readJson(exchange.request, MAX_BYTES));
      if (!decision.success)
        throw invalid('Send { "appId": "…", "binding": "…", "as": "accept" or "reject" }.');
      const { appId, binding, as } = decision.data;
      try {
        toolChanges[as](appId, binding);
      } catch (error) {
        if (error instanceof RuntimeError) throw new HttpError(409, error.code, error.message);
        throw error;
      }
      sendJson(exchange.response, {});
    }),
  ];
  return { bearer, routes };
}
