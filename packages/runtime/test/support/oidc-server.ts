import type { IncomingMessage, ServerResponse } from 'node:http';
import { serveHere } from '@svc/testkit/http-server';
import { signingJwk } from '@svc/testkit/rsa-key';
import { errors, Provider } from 'oidc-provider';
import { onTestFinished, vi } from 'vitest';
import type { Serve } from './internet.ts';

/** It tells whoever runs it that it is set up for tests alone, which it is. */
function hush(): void {
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

/** What a person does at each page of the provider: they sign in, and grant what is asked. */
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

/** A request at the token endpoint, as it came. */
export type TokenRequest = Record<string, string>;

/**
 * A real authorization server: dynamic registration, PKCE required, refresh tokens that are taken once, and a second use of one
 * ends the grant.
 * @param serve where it is; on this machine, when it is not said
 * @returns its issuer, what came to its endpoints, and how often the metadata and the registration were asked for
 */
export async function oidcServer(serve: Serve = serveHere) {
  hush();
  const tokenRequests: TokenRequest[] = [];
  const paths: string[] = [];
  let provider: Provider | undefined;
  let down = false;
  const issuer = await serve((url) => {
    provider = providerAt(url);
    // Errors are part of what is tried here.
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
    /** Answers 503 to everything from now on, or no longer. */
    setDown(value: boolean) {
      down = value;
    },
    /** The access token as the server knows it. */
    find: (token: string) => provider?.AccessToken.find(token),
  };
}
