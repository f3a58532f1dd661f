import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { named } from '../named.ts';
import { CI_KINDS } from '../vocabulary.ts';
import { AppId, PublisherSlug, Timestamp } from './common.ts';

export const CiKind = z.enum(CI_KINDS);
export type CiKind = z.infer<typeof CiKind>;

const { text, id: maxId, token } = LIMITS.trustedPublishing;

/** A value of a claim: printable characters. */
const ClaimText = z
  .string()
  .min(1)
  .max(text)
  .regex(/^[!-~]+$/, 'must be printable characters without spaces');
const NumericId = z.string().max(maxId).regex(/^\d+$/, 'must be a number');

/** Claims of an ID token by name, with the values that a job must have. */
export const CiClaims = z.record(z.string(), z.string());
export type CiClaims = z.infer<typeof CiClaims>;

/** Request body that lets the jobs of a CI workflow publish an app. */
export const NewTrustedPublisher = named.strictObject('NewTrustedPublisher', {
  appId: AppId.describe('The app, which does not have to exist yet.'),
  issuer: z.string().max(text).describe('One of `issuers`.'),
  repository: ClaimText.optional().describe('GitHub and GitLab: the path of the repository, `owner/name`.'),
  repositoryId: NumericId.optional().describe(
    'GitHub and GitLab: the id of the repository. The store looks it up for a public repository.',
  ),
  ownerId: NumericId.optional().describe(
    'The id of its owner on GitHub, of its namespace on GitLab; looked up like the other.',
  ),
  workflow: ClaimText.optional().describe(
    'GitHub: the file in `.github/workflows`, such as `release.yml`. GitLab: the file with the pipeline; `.gitlab-ci.yml` by default.',
  ),
  environment: ClaimText.optional().describe('GitHub and GitLab: only jobs of this environment.'),
  hostedOnly: z
    .boolean()
    .optional()
    .describe('GitHub and GitLab: only jobs on runners of the provider, not on your own.'),
  subject: ClaimText.optional().describe('Other issuers: the exact claim `sub`.'),
});
export type NewTrustedPublisher = z.infer<typeof NewTrustedPublisher>;

/** The jobs of a CI workflow that may publish an app. */
export const TrustedPublisher = named.object('TrustedPublisher', {
  id: z.string(),
  appId: z.string(),
  issuer: z.string(),
  kind: CiKind,
  claims: CiClaims.describe('What the ID token of a job must say.'),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.optional().describe('When a job last got a token.'),
  pending: z.boolean().describe('Whether the app does not exist yet.'),
});
export type TrustedPublisher = z.infer<typeof TrustedPublisher>;

/** The CI workflows that may publish apps of a publisher. */
export const TrustedPublishers = named.object('TrustedPublishers', {
  trustedPublishers: z.array(TrustedPublisher),
  trustedOnly: z.array(z.string()).describe('The apps that only these workflows may publish.'),
  confirmed: z.array(z.string()).describe('The apps whose versions a member confirms.'),
  issuers: z.array(z.object({ issuer: z.string(), kind: CiKind })).describe('What this store accepts.'),
  audience: z.string().describe('The audience that an ID token must have: the address of this store.'),
});
export type TrustedPublishers = z.infer<typeof TrustedPublishers>;

/** Query of the list. */
export const TrustedPublisherQuery = z.object({
  appId: AppId.optional().describe('Only of this app.'),
});

/** Request body that says who may publish an app. */
export const PublishingRules = named.strictObject('PublishingRules', {
  trustedOnly: z.boolean().describe('Whether only trusted publishers may publish it.'),
  confirm: z.boolean().describe('Whether each version waits until a member of the publisher confirms it.'),
});
export type PublishingRules = z.infer<typeof PublishingRules>;

/** Request body that exchanges the ID token of a CI job for a token that publishes one app. */
export const IdTokenExchange = named.strictObject('IdTokenExchange', {
  idToken: z
    .string()
    .min(1)
    .max(token)
    .describe('The ID token of the job, a JWT for the audience of this store.'),
  publisher: PublisherSlug,
  appId: AppId,
});
export type IdTokenExchange = z.infer<typeof IdTokenExchange>;

/** A claim that is not the expected one. */
export const ClaimMismatch = named.object('ClaimMismatch', {
  claim: z.string(),
  expected: z.string(),
  received: z.string().nullable().describe('Null when the token does not have the claim.'),
});
export type ClaimMismatch = z.infer<typeof ClaimMismatch>;

/** The CI job that uploaded a version, as its issuer states. */
export const VersionSource = named.object('VersionSource', {
  issuer: z.string(),
  kind: CiKind,
  claims: CiClaims.describe('The claims by which the job was recognised.'),
  ref: z.string().nullable(),
  commit: z.string().nullable(),
});
export type VersionSource = z.infer<typeof VersionSource>;

/** The CI job that built a bundle, as its attestation proves. */
export const VersionAttestation = named.object('VersionAttestation', {
  ...VersionSource.shape,
  commit: z.string(),
  run: z.url().nullable().describe('The page of the job; null when the certificate names none.'),
});
export type VersionAttestation = z.infer<typeof VersionAttestation>;
