import type { CeremonySecrets } from './ceremony.ts';

/** Who a provider says a person is. */
export type ProvenIdentity = {
  issuer: string;
  subject: string;
  /** What the provider calls the account. */
  label: string;
  name: string;
  /** In lower case. */
  email: string | null;
  emailVerified: boolean;
};

/** A service that can say who people are: an OpenID provider, or GitHub. */
export interface Provider {
  id: string;
  /** What people know it as. */
  label: string;
  /** Which provider it is, wherever it is configured. */
  issuer: string;
  /**
   * Where to send a browser for a person to say who they are.
   * @param redirectUri where the provider sends it back to
   * @throws UnavailableError when the provider cannot be reached
   */
  begin(secrets: CeremonySecrets, redirectUri: string): Promise<URL>;
  /**
   * Reads what a browser brought back.
   * @param callback the redirect URI with the query that came along
   * @throws ApiError forbidden when the provider did not say it, or not to this browser
   * @throws UnavailableError when the provider cannot be reached
   */
  end(secrets: CeremonySecrets, callback: URL): Promise<ProvenIdentity>;
}

/** The providers of a store by their ids, in the order of the configuration. */
export type Providers = ReadonlyMap<string, Provider>;
