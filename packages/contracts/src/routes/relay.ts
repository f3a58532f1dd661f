import * as relay from '../records/relay.ts';
import { route } from './route.ts';

/** The relay returns the result of an OAuth sign-in from the browser to the client that began it. */
export const relayRoutes = {
  relayCallback: route.relay('everyone GET /apps/oauth/callback', {
    summary: 'OAuth redirect URI. The store keeps the first response for five minutes.',
    page: true,
    secretAddress: true,
    query: relay.RelayCallback,
    methodHint:
      'An authorization server that sends its response in a form (form_post) must use response_mode=query for this redirect URI.',
    errors: ['rate_limited'],
  }),
  relayDigits: route.relay('everyone POST /apps/oauth/digits', {
    summary:
      'Confirm the client that gets the response, by the digits that it shows. After three wrong ones the code is deleted.',
    page: true,
    secretAddress: true,
    form: relay.RelayDigits,
    errors: ['forbidden'],
  }),
  relayClient: route.relay('everyone GET /apps/oauth/client.json', {
    summary:
      'Client ID metadata document. Its URL is the client id of this store’s clients at OAuth servers that support such documents.',
    success: { status: 200, body: relay.ClientMetadata },
    headers: { 'Cache-Control': 'An hour.' },
  }),
  relayResult: route.relay('everyone GET /api/apps/oauth/result', {
    summary:
      'Get the result of an OAuth sign-in. It is returned once, to a client at the network address of the browser, or to one that the user confirmed.',
    closed: true,
    query: relay.RelayQuery,
    success: { status: 200, body: relay.RelayResult },
  }),
};
