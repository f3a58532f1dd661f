import { cleanLine } from '@svc/text';
import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { named } from '../named.ts';
import { AppId } from './common.ts';

const { state, code, text } = LIMITS.relay;

/** Binds the response of an OAuth server to the client that sent the request (RFC 6749 section 4.1.1); long enough for 128 random bits. */
export const RelayState = z
  .string({
    error:
      'is missing. An authorization server that sends its response after # (fragment) must use response_mode=query for this redirect URI.',
  })
  .regex(new RegExp(`^[A-Za-z0-9._~-]{${state.min},${state.max}}$`), {
    error: `must be ${state.min} to ${state.max} letters, digits and -._~`,
  })
  .describe('The `state` that the client created.');

/** A parameter in whatever form a server sends it: cleaned to one printable line, and cut. It is absent if nothing remains. */
const lenientText = (description: string) =>
  z
    .string()
    .transform((given) => [...cleanLine(given, 4 * text)].slice(0, text).join('') || undefined)
    .optional()
    .describe(description);

/** What to set where a response has neither a code nor an error. */
const NO_RESPONSE =
  'Give either `code` or `error` in the query. An authorization server that sends them after # (fragment) or in a form (form_post) must use response_type=code and response_mode=query for this redirect URI.';

/** Parameters with which an OAuth server redirects the browser back. Other parameters are dropped. */
export const RelayCallback = z
  .object({
    state: RelayState,
    code: z
      .string()
      .max(code)
      .transform((given) => given || undefined)
      .optional(),
    error: lenientText('An error code (RFC 6749 section 4.1.2.1).'),
    error_description: lenientText('The words of the server.'),
    iss: z
      .string()
      .transform((given) => given.slice(0, text))
      .optional()
      .describe('Issuer of the response (RFC 9207).'),
  })
  .refine((callback) => (callback.code === undefined) !== (callback.error === undefined), {
    error: NO_RESPONSE,
  });

/** Query of a result. */
export const RelayQuery = z.object({
  state: RelayState,
  app: AppId.optional()
    .catch(undefined)
    .describe('The app of this store whose account is connected: the callback page names it.'),
});

/** The form of the callback page, with which the user confirms a client at another network address. */
export const RelayDigits = z.object({
  ticket: z
    .string()
    .max(100)
    .describe('Identifies the response; only the page of the browser that brought it has it.'),
  digits: z.string().max(20).describe('The digits that the client shows.'),
});

/** The response of the OAuth server, returned once; `pending` when there is none (yet), or it has expired. */
export const RelayResult = z
  .union([
    z.object({ code: z.string(), iss: z.string().optional() }),
    z.object({ error: z.string(), error_description: z.string().optional(), iss: z.string().optional() }),
    z.object({ pending: z.literal(true) }),
  ])
  .meta({ id: 'RelayResult' });
export type RelayResult = z.infer<typeof RelayResult>;

/**
 * The identity of the store's clients for authorization servers that support client ID metadata documents
 * (draft-ietf-oauth-client-id-metadata-document).
 */
export const ClientMetadata = named.object('ClientMetadata', {
  client_id: z.string().describe('The URL of this document.'),
  client_name: z.string(),
  client_uri: z.string(),
  logo_uri: z.string(),
  redirect_uris: z.array(z.string()).describe('The callback URL of this store.'),
  grant_types: z.array(z.string()),
  response_types: z.array(z.string()),
  token_endpoint_auth_method: z.literal('none').describe('Public clients have no secret.'),
  application_type: z.enum(['web', 'native']),
});
export type ClientMetadata = z.infer<typeof ClientMetadata>;
