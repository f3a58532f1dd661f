import type { System } from '@svc/runtime';
import { z } from 'zod';
import { sendJson } from '../http/answer.ts';
import { type Exchange, HttpError, invalid, type Route } from '../http/exchange.ts';
import { readJson } from '../http/read-body.ts';
import { bearerIn, newSecret, proofOf, sameSecret } from '../http/secret.ts';

const MAX_BYTES = 1_024;

const Hello = z.strictObject({ challenge: z.string().regex(/^[\w-]{43}$/) });

/** What programs of the same person do with a desktop that runs: they read its bearer from its folder. */
export type ControlDesk = {
  bearer: string;
  routes: Route[];
};

/**
 * Opens the way in for programs. It shows that it knows the bearer before anybody tells it: another program may have come to
 * listen on the port of a desktop that is gone.
 * @param newLink makes a one-time link
 */
export function createControl(system: Pick<System, 'randomBytes'>, newLink: () => string): ControlDesk {
  const bearer = newSecret(system);
  const requireBearer = ({ request }: Pick<Exchange, 'request'>): void => {
    if (!sameSecret(bearerIn(request.headers.authorization), bearer))
      throw new HttpError(401, 'unauthorized', 'The bearer is not the one of this desktop.');
  };
  const routes: Route[] = [
    {
      path: '/control/hello',
      method: 'POST',
      async serve({ request, response }) {
        const hello = Hello.safeParse(await readJson(request, MAX_BYTES));
        if (!hello.success) throw invalid('Send { "challenge": "…" } of 32 random bytes as base64url.');
        sendJson(response, { proof: proofOf(bearer, hello.data.challenge) });
      },
    },
    {
      path: '/control/link',
      method: 'POST',
      async serve(exchange) {
        requireBearer(exchange);
        await readJson(exchange.request, MAX_BYTES);
        sendJson(exchange.response, { link: newLink() });
      },
    },
  ];
  return { bearer, routes };
}
