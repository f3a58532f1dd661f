import type { Provider, Providers } from '../../people/provider.ts';
import { createGitHubProvider, type GitHubSettings } from './github-provider.ts';
import { createOpenIdProvider, type OpenIdSettings } from './open-id-provider.ts';
import type { Fetch } from './provider-client.ts';

/** A provider as the configuration names it. */
export type ProviderSettings = (OpenIdSettings & { type: 'openid' }) | (GitHubSettings & { type: 'github' });

const create = (settings: ProviderSettings, fetch: Fetch): Provider =>
  settings.type === 'github' ? createGitHubProvider(settings, fetch) : createOpenIdProvider(settings, fetch);

/** The providers that people sign in with. None of them is asked anything yet. */
export const createProviders = (settings: readonly ProviderSettings[], fetch: Fetch): Providers =>
  new Map(settings.map((one) => [one.id, create(one, fetch)]));
