import { z } from 'zod';
import { LIMITS } from '../limits.ts';

const { state, code, text } = LIMITS.relay;

/** What ties an answer of an OAuth server to the client that asked (RFC 6749 section 4.1.1); long enough to hold 128 random bits. */
export const RelayState = z
  .string()
  .regex(new RegExp(`^[A-Za-z0-9._~-]{${state.min},${state.max}}$`), {
    error: `must be ${state.min} to ${state.max} letters, digits and -._~`,
  })
  .describe('The `state` that the client made.');

/** Characters that an error of OAuth may have (RFC 6749 section 4.1.2.1). */
const ErrorText = z
  .string()
  .max(text)
  .regex(/^[ !#-[\]-~]*$/);

/** With what an OAuth server sends a browser back. Other parameters are not kept. */
export const RelayCallback = z
  .object({
    state: RelayState,
    code: z.string().min(1).max(code).optional(),
    error: ErrorText.min(1).optional(),
    error_description: ErrorText.optional(),
    iss: z.string().max(text).optional().describe('Who answers (RFC 9207).'),
  })
  .refine((callback) => (callback.code === undefined) !== (callback.error === undefined), {
    error: 'Either code or error must be given.',
  });

/** What a client asks for. */
export const RelayQuery = z.object({ state: RelayState });

/** What was parked, given out once; or that nothing is there: not yet, not any more, or never. */
export const RelayResult = z
  .union([
    z.object({ code: z.string(), iss: z.string().optional() }),
    z.object({ error: z.string(), error_description: z.string().optional(), iss: z.string().optional() }),
    z.object({ pending: z.literal(true) }),
  ])
  .meta({ id: 'RelayResult' });
export type RelayResult = z.infer<typeof RelayResult>;

/**
 * Who the clients of a store are to authorization servers that take a client ID metadata document
 * (draft-ietf-oauth-client-id-metadata-document).
 */
export const ClientMetadata = z
  .object({
    client_id: z.string().describe('The address of this document.'),
    client_name: z.string(),
    client_uri: z.string(),
    logo_uri: z.string(),
    redirect_uris: z.array(z.string()).describe('The callback of this store.'),
    grant_types: z.array(z.string()),
    response_types: z.array(z.string()),
    token_endpoint_auth_method: z.literal('none').describe('Public clients: there is no secret.'),
    application_type: z.enum(['web', 'native']),
  })
  .meta({ id: 'ClientMetadata' });
export type ClientMetadata = z.infer<typeof ClientMetadata>;
