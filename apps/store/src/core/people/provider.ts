import type { MemberRole, PersonRole } from '@svc/contracts';
import { UnavailableError } from '../../platform/unavailable-error.ts';
import type { CeremonySecrets } from './ceremony.ts';

/** The identity of a person, as a provider asserts it. */
export type ProvenIdentity = {
  issuer: string;
  subject: string;
  /** The name of the account at the provider. */
  label: string;
  name: string;
  /** In lower case. */
  email: string | null;
  emailVerified: boolean;
  /** The groups of the person; null when the provider does not say them. */
  groups: readonly string[] | null;
  /** The refresh token with which the store asks again; null where the provider gave none that outlives its own session. */
  grant: string | null;
};

/** What a provider says of a user between two sign-ins. */
export type Confirmed = {
  /** The refresh token for the next time: providers may give each one once. */
  grant: string;
  /** The groups now; null when the answer does not say them, so that those of the sign-in stay. */
  groups: readonly string[] | null;
};

/** Which users of a provider may sign in, and what the groups there mean here. */
export type ProviderRules = {
  /** Only users with a confirmed address of one of these domains may sign in; null for all users of the provider. */
  allowedDomains: readonly string[] | null;
  /** The roles and publishers that the provider decides; null when administrators of the store decide all. */
  groups: GroupRules | null;
  /** Whether the store refuses passwords and passkeys at its sign-in. */
  ssoOnly: boolean;
  /** How the provider provisions users; null when it does not. */
  scim: { token: string } | null;
};

export type GroupRules = {
  /** The claim with the names of the groups. */
  claim: string;
  /** Roles by group. A user in none of these groups has no role. */
  roles: Readonly<Record<string, Exclude<PersonRole, 'person'>>>;
  /** Only users in one of these groups may sign in; null for all users. */
  allowed: readonly string[] | null;
  /** Publishers by group, and the role in each. Memberships of other publishers stay as they are. */
  publishers: Readonly<Record<string, { slug: string; role: MemberRole }>>;
};

/** A sign-in provider: an OpenID provider, or GitHub. */
export interface Provider {
  id: string;
  /** Its display name. */
  label: string;
  /** Its unique identifier, independent of the configuration. */
  issuer: string;
  rules: ProviderRules;
  /**
   * Validates a logout token (OpenID Connect Back-Channel Logout 1.0 section 2.6).
   * @returns the subject whose sessions end
   * @throws ApiError invalid_request
   * @throws UnavailableError when the keys of the provider cannot be read
   */
  readLogout(token: string): Promise<string>;
  /**
   * Checks that the provider answers.
   * @throws UnavailableError when it does not
   */
  check(): Promise<void>;
  /**
   * Creates the authorization URL to redirect a browser to.
   * @param redirectUri where the provider redirects back to
   * @throws UnavailableError when the provider cannot be reached
   */
  begin(secrets: CeremonySecrets, redirectUri: string): Promise<URL>;
  /**
   * Validates the authorization response of the provider.
   * @param callback the redirect URI with the query of the response
   * @throws ApiError forbidden when the response is not of the provider, or not for this browser
   * @throws UnavailableError when the provider cannot be reached
   */
  end(secrets: CeremonySecrets, callback: URL): Promise<ProvenIdentity>;
  /**
   * Asks again about a user, without the user.
   * @param grant of `end`, or of the last time
   * @returns null when the provider refuses: only the user can prove who they are
   * @throws UnavailableError when the provider cannot be reached, or refuses the store itself
   */
  confirm(grant: string, subject: string): Promise<Confirmed | null>;
}

/** The name of a provider in *Health*, the metrics and the log. */
export const providerService = (id: string): string => `sign-in provider ${id}`;

/** How users know a provider: its label. */
export type NamedProvider = Pick<Provider, 'id' | 'label'>;

/** The error of a provider that does not answer. The response names it: its users see that the store itself works. */
export const providerAway = ({ id, label }: NamedProvider, cause: unknown): UnavailableError =>
  new UnavailableError(`The ${providerService(id)} cannot be reached.`, {
    cause,
    reported: `${label} cannot be reached`,
  });

/** The sign-in providers of a store by id, in the order of the configuration. */
export type Providers = ReadonlyMap<string, Provider>;
