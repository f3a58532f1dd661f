import { z } from 'zod';
import { LIMITS } from '../limits.ts';

/** A moment, ISO 8601 in UTC with milliseconds, as `Date.prototype.toISOString` writes it. */
export const Timestamp = z.iso.datetime({ precision: 3 }).describe('ISO 8601, UTC.');

/** Hex SHA-256 of a bundle. */
export const Sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('SHA-256 of the zip, in lower-case hex.');

/** Base64 of a 64-byte Ed25519 signature (RFC 8032). */
export const Signature = z.base64().length(88).describe('Ed25519 signature, in base64.');

/** Name of a signing key, derived from the key itself. */
export const KeyId = z
  .string()
  .regex(/^[0-9a-z-]{8,64}$/)
  .describe('Which key signed.');

/** Id of an app as it appears in a path: looser than the manifest's rule, so that an old or odd id is a 404, not a 400. */
export const AppId = z.string().min(1).describe('Id of the app.');

/** Version as it appears in a path. */
export const AppVersion = z.string().min(1).describe('Semantic version of the app.');

/** Name of a publisher in addresses and manifests. */
export const PublisherSlug = z
  .string()
  .max(LIMITS.manifest.publisher)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/)
  .describe('Lower-case letters, digits and inner hyphens.');

/** What a badge shows. */
export const VerifiedHost = z
  .string()
  .optional()
  .describe(
    'Host of the website that was verified; absent when the publisher is not verified, or was by the store alone.',
  );

/**
 * Why a moderator decided, or why a version was withdrawn. Withdrawals are signed as a list: text that has no UTF-8 form
 * (RFC 8785 section 3.2.2.2) would stop the list of everybody.
 */
export const Note = z
  .string()
  .trim()
  .min(1)
  .max(LIMITS.note)
  .refine((text) => text.isWellFormed(), { error: 'must be well-formed Unicode' });

const { min, max } = LIMITS.installs.id;

/**
 * Names an installation of a client: random, made by the client, and never the name of a machine or a person. The alphabet
 * is that of unreserved characters (RFC 3986 section 2.3).
 */
export const InstallId = z
  .string()
  .regex(new RegExp(`^[A-Za-z0-9._~-]{${min},${max}}$`))
  .describe(`${min} to ${max} letters, digits and \`-._~\`; random, for each installation of the client.`);

/** The answer of a store that is well. */
/** What a client or an author has to know of a store before anything else. */
export const StoreFacts = z
  .object({
    localApps: z
      .boolean()
      .describe('Whether apps may have their servers on `localhost`: in a store on one’s own machine alone.'),
    read: z
      .enum(['public', 'members'])
      .optional()
      .describe('Whether everybody may read, or members alone: their clients send a token along.'),
  })
  .meta({ id: 'StoreFacts' });
export type StoreFacts = z.infer<typeof StoreFacts>;

export const Health = z.object({ status: z.literal('ok') }).meta({ id: 'Health' });

/** In which direction a list is sorted. */
export const Direction = z.enum(['asc', 'desc']);
export type Direction = z.infer<typeof Direction>;
