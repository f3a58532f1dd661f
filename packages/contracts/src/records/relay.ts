import { z } from 'zod';
import { LIMITS } from '../limits.ts';

const { state, code, text } = LIMITS.relay;

/** Binds the response of an OAuth server to the client that sent the request (RFC 6749 section 4.1.1); long enough for 128 random bits. */
export const RelayState = z
  .string()
  .regex(new RegExp(`^[A-Za-z0-9._~-]{${state.min},${state.max}}$`), {
    error: `must be ${state.min} to ${state.max} letters, digits and -._~`,
  })
  .describe('The `state` that the client created.');

/** Characters that an OAuth error may contain (RFC 6749 section 4.1.2.1). */
const ErrorText = z
  .string()
  .max(text)
  .regex(/^[ !#-[\]-~]*$/);

/** Parameters with which an OAuth server redirects the browser back. Other parameters are dropped. */
export const RelayCallback = z
  .object({
    state: RelayState,
    code: z.string().min(1).max(code).optional(),
    error: ErrorText.min(1).optional(),
    error_description: ErrorText.optional(),
    iss: z.string().max(text).optional().describe('Issuer of the response (RFC 9207).'),
  })
  .refine((callback) => (callback.code === undefined) !== (callback.error === undefined), {
    error: 'Give either `code` or `error`.',
  });

/** Query of a result. */
export const RelayQuery = z.object({ state: RelayState });

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
export const ClientMetadata = z
  .object({
    client_id: z.string().describe('The URL of this document.'),
    client_name: z.string(),
    client_uri: z.string(),
    logo_uri: z.string(),
    redirect_uris: z.array(z.string()).describe('The callback URL of this store.'),
    grant_types: z.array(z.string()),
    response_types: z.array(z.string()),
    token_endpoint_auth_method: z.literal('none').describe('Public clients have no secret.'),
    application_type: z.enum(['web', 'native']),
  })
  .meta({ id: 'ClientMetadata' });
export type ClientMetadata = z.infer<typeof ClientMetadata>;
