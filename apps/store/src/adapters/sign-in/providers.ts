import type { Provider, Providers } from '../../features/people/provider.ts';
import { createGitHubProvider, type GitHubSettings } from './github-provider.ts';
import { createOpenIdProvider, type OpenIdSettings } from './open-id-provider.ts';
import type { Fetch } from './provider-client.ts';

/** A configured provider. */
export type ProviderSettings = (OpenIdSettings & { type: 'openid' }) | (GitHubSettings & { type: 'github' });

const create = (settings: ProviderSettings, fetch: Fetch): Provider =>
  settings.type === 'github' ? createGitHubProvider(settings, fetch) : createOpenIdProvider(settings, fetch);

/** Creates the configured identity providers. Sends no request yet. */
export const createProviders = (settings: readonly ProviderSettings[], fetch: Fetch): Providers =>
  new Map(settings.map((provider) => [provider.id, create(provider, fetch)]));
