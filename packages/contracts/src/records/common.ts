import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { named } from '../named.ts';

/** A moment, ISO 8601 in UTC with milliseconds, as `Date.prototype.toISOString` writes it. */
export const Timestamp = z.iso.datetime({ precision: 3 }).describe('ISO 8601, UTC.');

/** The greatest `integer` of PostgreSQL: a query of a greater one fails there. */
export const MAX_INTEGER = 2_147_483_647;

/** The number of entries of a page in a query. @param of such as `Users per page` */
export const pageSize = (max: number, unset: number, of: string) =>
  z.coerce.number().int().min(1).max(max).default(unset).describe(`${of}; ${unset} by default.`);

/** The same for a query whose default its handler knows. */
export const optionalPageSize = (max: number, described: string) =>
  z.coerce.number().int().min(1).max(max).optional().describe(described);

/** Hex SHA-256 of a bundle. */
export const Sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('SHA-256 of the zip, in lower-case hex.');

/** Base64 of a 64-byte Ed25519 signature (RFC 8032). */
export const Signature = z.base64().length(88).describe('Ed25519 signature, in base64.');

/** Id of a signing key: stores of this project derive it from the key, others may name theirs as they like. */
export const KeyId = z
  .string()
  .regex(/^[!-~]{1,64}$/)
  .describe('Id of the signing key.');

/** Id of an app as it appears in a path: looser than the manifest's rule, so that an old or malformed id is a 404, not a 400. */
export const AppId = z.string().min(1).describe('Id of the app.');

/** Version as it appears in a path. */
export const AppVersion = z.string().min(1).describe('Semantic version of the app.');

/** Id of a publisher in URLs and manifests. */
export const PublisherSlug = z
  .string()
  .max(LIMITS.manifest.publisher)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/)
  .describe('Slug of the publisher: lower-case letters, digits and inner hyphens.');

/** The host on the badge of a verified publisher. */
export const VerifiedHost = z
  .string()
  .optional()
  .describe(
    'Host of the verified website; absent when the publisher is not verified, or was verified by an administrator.',
  );

/**
 * The reason of a decision or of a yank. All yanked versions are signed as one list: text that has no UTF-8 form
 * (RFC 8785 section 3.2.2.2) would make the whole list impossible to sign.
 */
export const Note = z
  .string()
  .trim()
  .min(1)
  .max(LIMITS.note)
  .refine((text) => text.isWellFormed(), { error: 'must be well-formed Unicode' });

const { min, max } = LIMITS.installs.id;

/**
 * Id of an installation of a client: random, created by the client, never the name of a machine or a user. The alphabet
 * is that of unreserved characters (RFC 3986 section 2.3).
 */
export const InstallId = z
  .string()
  .regex(new RegExp(`^[A-Za-z0-9._~-]{${min},${max}}$`))
  .describe(
    `${min} to ${max} letters, digits and \`-._~\`; a random id for each installation of the client.`,
  );

/** What a client or a developer must know about a store before all other requests. */
export const StoreFacts = named.object('StoreFacts', {
  localApps: z
    .boolean()
    .describe(
      'Whether the servers of apps may be on `localhost`: only in a store on the developer’s own machine.',
    ),
  read: z
    .enum(['public', 'members'])
    .optional()
    .describe('Whether the catalogue is public. With `members`, clients must send a token.'),
});
export type StoreFacts = z.infer<typeof StoreFacts>;

/** The response of a healthy store. */
export const Health = named.object('Health', { status: z.literal('ok') });

/** The sort direction of a list. */
export const Direction = z.enum(['asc', 'desc']);
export type Direction = z.infer<typeof Direction>;

/** Why something is suspended, since when and by whom. */
export const Suspension = z.object({
  reason: z.string(),
  at: Timestamp,
  by: z.string().optional().describe('Who suspended it, as in the audit log; only for administrators.'),
});
export type Suspension = z.infer<typeof Suspension>;

/** Id of a rule of the policy, which decisions cite. */
export const RuleId = z
  .string()
  .max(LIMITS.moderation.reasonId)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
  .describe('Lower-case words joined by hyphens.');
