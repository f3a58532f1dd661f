import { causesOf } from '@svc/contracts/causes';
import {
  AuthorizationResponseError,
  ClientError,
  type Configuration,
  type CustomFetch,
  customFetch,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { type NamedProvider, providerAway } from '../../core/people/provider.ts';
import { ApiError } from '../../platform/api-error.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';

/** The `fetch` of the process; `main.ts` passes the real one. */
export type Fetch = typeof fetch;

/** Timeout of a request to a provider, in seconds. */
export const PROVIDER_SECONDS = 10;
const SERVER_FAULT = 500;

/** Creates requests that distinguish an unavailable provider from one that refuses. */
export const providerFetch =
  (fetch: Fetch, provider: NamedProvider): CustomFetch =>
  async (url, options) => {
    const answer = await fetch(url, options as RequestInit).catch((error: unknown) => {
      throw providerAway(provider, error);
    });
    if (answer.status < SERVER_FAULT) return answer;
    throw providerAway(provider, new Error(`It answered ${answer.status}.`));
  };

/** Makes a client use the fetch of this process, with a timeout. */
export function configure(config: Configuration, fetch: Fetch, provider: NamedProvider): Configuration {
  config[customFetch] = providerFetch(fetch, provider);
  config.timeout = PROVIDER_SECONDS;
  return config;
}

/** Unwraps errors of our own requests, which the library wraps. */
function outageIn(error: unknown, provider: NamedProvider): UnavailableError | null {
  for (const cause of causesOf(error)) {
    if (cause instanceof UnavailableError) return cause;
    if (cause instanceof ClientError && cause.code === 'OAUTH_TIMEOUT') return providerAway(provider, cause);
  }
  return null;
}

/**
 * Converts the error of a failed exchange for the user who signs in. The cause is omitted: it would only help an attacker.
 * @returns Unavailable when the provider is unavailable, a refusal when it refused or its response is not authentic, else the error
 */
export function providerFault(error: unknown, provider: NamedProvider): unknown {
  const outage = outageIn(error, provider);
  if (outage) return outage;
  const isAnswer = [
    AuthorizationResponseError,
    ClientError,
    ResponseBodyError,
    WWWAuthenticateChallengeError,
  ].some((kind) => error instanceof kind);
  // The library throws a TypeError for a response of an unexpected shape.
  if (!isAnswer && !(error instanceof TypeError)) return error;
  return new ApiError('forbidden', 'The provider did not confirm who you are: begin again.');
}

/**
 * Whether a provider refuses a user: the refresh token has ended (RFC 6749 section 5.2), or the new access token is of another user or of
 * none. Any other refusal is about the store, such as `invalid_client`, and says nothing of the user.
 */
export function isRefusal(error: unknown): boolean {
  for (const cause of causesOf(error)) {
    if (cause instanceof ResponseBodyError) return cause.error === 'invalid_grant';
    if (cause instanceof WWWAuthenticateChallengeError) return cause.status === 401;
    if (cause instanceof ClientError && cause.code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') return true;
  }
  return false;
}
