import type { IncomingMessage, ServerResponse } from 'node:http';
import { serveHere } from '@svc/testkit/http-server';
import { signingJwk } from '@svc/testkit/rsa-key';
import { errors, Provider } from 'oidc-provider';
import { onTestFinished, vi } from 'vitest';
import type { Serve } from './internet.ts';

/** Suppresses the warnings of the provider about settings that are only for tests. */
function silenceWarnings(): void {
  const spies = (['info', 'warn'] as const).map((method) =>
    vi.spyOn(console, method).mockImplementation(() => {}),
  );
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
}

function providerAt(issuer: string): Provider {
  return new Provider(issuer, {
    findAccount: (_context, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({ scope: 'notes:read notes:write', accessTokenFormat: 'opaque' }),
        useGrantedResource: () => true,
      },
    },
    scopes: ['openid', 'offline_access', 'notes:read', 'notes:write'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    ttl: { AccessToken: 3600, RefreshToken: 86_400, Grant: 86_400, Session: 86_400, Interaction: 600 },
    jwks: { keys: [signingJwk()] },
    cookies: { keys: ['a key of a test'] },
  });
}

/** The user at each page of the provider: signs in, and grants the requested scopes. */
async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: 'ada' } });
  }
  const clientId = String(params.client_id);
  const found = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const grant = found ?? new provider.Grant({ accountId: session?.accountId ?? '', clientId });
  const scope = String(params.scope ?? '');
  grant.addOIDCScope(scope);
  if (params.resource !== undefined) grant.addResourceScope(String(params.resource), scope);
  const consent = { grantId: await grant.save() };
  return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
}

/** The form of a request to the token endpoint. */
export type TokenRequest = Record<string, string>;

/**
 * A real authorization server: dynamic registration, required PKCE, and single-use refresh tokens, whose second use revokes the
 * grant.
 * @param serve starts the server; on this machine by default
 * @returns its issuer, its token requests, the paths of all requests, and functions to control and inspect it
 */
export async function oidcServer(serve: Serve = serveHere) {
  silenceWarnings();
  const tokenRequests: TokenRequest[] = [];
  const paths: string[] = [];
  let provider: Provider | undefined;
  let down = false;
  const issuer = await serve((url) => {
    provider = providerAt(url);
    // Tests provoke OAuth errors: only unexpected errors are printed.
    provider.on('server_error', (_context, error) => {
      if (!(error instanceof errors.OIDCProviderError)) process.stderr.write(`${error.stack}\n`);
    });
    const one = provider;
    one.use(async (context, next) => {
      await next();
      if (context.path === '/token') tokenRequests.push({ ...(context.oidc?.body as TokenRequest) });
    });
    const callback = one.callback();
    return (request, response) => {
      paths.push(new URL(request.url ?? '/', url).pathname);
      if (down) {
        response.statusCode = 503;
        return void response.end();
      }
      if (!request.url?.startsWith('/interaction/')) return void callback(request, response);
      interact(one, request, response).catch((error: Error) => response.end(error.stack));
    };
  });
  return {
    issuer,
    tokenRequests,
    paths,
    /** Starts or stops answering every request with 503. */
    setDown(value: boolean) {
      down = value;
    },
    /** The access token as the server knows it. */
    find: (token: string) => provider?.AccessToken.find(token),
  };
}
