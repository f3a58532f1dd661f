import { html } from 'hono/html';
import type { RouteHandler } from '../../access/bind-route.ts';
import { sendPage } from '../../http/page.ts';
import { type ClientDeps, clientMetadata } from './client-metadata.ts';
import { type CollectDeps, collectCode } from './collect-code.ts';
import { type ParkDeps, parkCode } from './park-code.ts';

/** The page after every authorization response, whatever its result. It contains nothing of the URL. */
const CLOSE_TAB = {
  title: 'You can close this tab',
  body: html`<main><section>
    <h1>You can close this tab</h1>
    <p>Continue in the app where you started to sign in.</p>
  </section></main>`,
};

/** The routes of the relay, which returns authorization responses to clients. */
export const relayRoutes = (deps: ParkDeps & CollectDeps & ClientDeps) => ({
  relayCallback: (async (c, { query }) => {
    await parkCode(deps, query, c.get('address'));
    return sendPage(c, CLOSE_TAB);
  }) satisfies RouteHandler<'relayCallback'>,
  relayClient: ((c) =>
    c.json(clientMetadata(deps), 200, {
      'Cache-Control': 'public, max-age=3600',
    })) satisfies RouteHandler<'relayClient'>,
  relayResult: (async (c, { query }) => {
    const headers = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' };
    // A HEAD request must not collect the response (RFC 9110 section 9.3.2).
    const isRead = c.req.raw.method === 'GET';
    return c.json(isRead ? await collectCode(deps, query.state) : { pending: true }, 200, headers);
  }) satisfies RouteHandler<'relayResult'>,
});
