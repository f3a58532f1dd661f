import type { Account } from '@svc/contracts';
import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import type { Ambient } from '../platform/ambient.ts';
import type { Vault } from '../vault/vault.ts';
import { CLIENT_METHODS, SignInClient } from './grant.ts';
import { objectIn, type Requests } from './requests.ts';
import { refusedBy, SignInFault } from './sign-in-fault.ts';
import type { SignInServer } from './sign-in-server.ts';

/** A client that the program which embeds the runtime has registered at a sign-in server beforehand. */
export type RegisteredClient = { clientId: string; clientSecret?: string };

/** Who this program is to sign-in servers. */
export type ClientIdentity = {
  /** What people read on the page of a server that knows us by registration alone. */
  name: string;
  /** https address of the document that says who we are, for servers that take one in place of a registration. */
  documentUrl?: string;
  /** A client made beforehand for an issuer. */
  registered?: (issuer: string) => RegisteredClient | undefined;
};

type Deps = { vault: Vault; identity: ClientIdentity; ambient: Pick<Ambient, 'now'> };

/** A registration as it is kept (RFC 7591 section 3.2.1). */
const Registration = z.object({
  client: SignInClient,
  /** Milliseconds since 1970; null is never. */
  expiresAt: z.number().nullable(),
});
type Registration = z.infer<typeof Registration>;

const Text = z
  .string()
  .min(1)
  .max(2000)
  .regex(/^[ -~]+$/);

const RegistrationAnswer = z.object({
  client_id: Text,
  client_secret: Text.nullish(),
  client_secret_expires_at: z.number().min(0).nullish(),
  token_endpoint_auth_method: z.enum(CLIENT_METHODS).nullish(),
});

const ErrorAnswer = z.object({
  error: z.string(),
  error_description: z.string().optional().catch(undefined),
});

const entryName = (issuer: string, redirectUri: string) => ['client', issuer, redirectUri] as const;

/** Without a secret where the server lets us: none is as safe as it is called on a computer of a user. */
function methodAt({ clientMethods }: SignInServer): SignInClient['method'] {
  if (clientMethods === null) return 'none';
  const method = CLIENT_METHODS.find((one) => clientMethods.includes(one));
  if (!method) throw new SignInFault('The sign-in server knows clients in no way that we do.');
  return method;
}

const withSecret = (id: string, secret: string | null, server: SignInServer): SignInClient => {
  const asked = secret === null ? 'none' : methodAt(server);
  // A client that has a secret says it (RFC 6749 section 2.3.1).
  return { id, secret, method: secret !== null && asked === 'none' ? 'client_secret_basic' : asked };
};

/** Registers us as a client that keeps no secret, if the server likes (RFC 7591 section 3). */
async function register(
  { identity }: Deps,
  requests: Requests,
  server: SignInServer,
  redirectUri: string,
): Promise<Registration> {
  const method = methodAt(server);
  const response = await oauth.dynamicClientRegistrationRequest(
    { issuer: server.issuer ?? '', registration_endpoint: server.registrationEndpoint ?? '' },
    {
      client_name: identity.name,
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: method,
      // OpenID Connect registration section 2: only a native one may be sent back to http.
      application_type: redirectUri.startsWith('https:') ? 'web' : 'native',
    },
    { [oauth.customFetch]: requests.fetch, [oauth.allowInsecureRequests]: requests.allowLoopback !== false },
  );
  const body = await objectIn(response, 'The registration');
  const refusal = ErrorAnswer.safeParse(body);
  if (!response.ok && refusal.success) throw refusedBy(refusal.data, []);
  const { data } = RegistrationAnswer.safeParse(body);
  if (!response.ok || !data) throw new SignInFault('The sign-in server does not register us.');
  const { client_id: id, client_secret, client_secret_expires_at: end } = data;
  const secret = client_secret ?? null;
  const given = data.token_endpoint_auth_method ?? method;
  const client = { id, secret, method: secret === null ? ('none' as const) : given };
  return { client, expiresAt: secret !== null && end ? end * 1000 : null };
}

/** The registration that is kept for a server, or a new one, kept. */
async function registration(
  deps: Deps,
  requests: Requests,
  server: SignInServer,
  redirectUri: string,
): Promise<SignInClient> {
  const name = entryName(server.issuer ?? '', redirectUri);
  const kept = await deps.vault.read(name);
  const present = kept === null ? null : Registration.parse(JSON.parse(kept));
  const now = deps.ambient.now();
  if (present && (present.expiresAt === null || now < present.expiresAt)) return present.client;
  const made = await register(deps, requests, server, redirectUri);
  await deps.vault.change(name, () => JSON.stringify(made));
  return made.client;
}

/**
 * Who we are to a server: as the manifest says, as a program registered beforehand, by the address of a document, or by a
 * registration.
 * @throws SignInFault when there is no way
 */
export async function clientFor(
  deps: Deps,
  requests: Requests,
  { account, server, redirectUri }: { account: Account; server: SignInServer; redirectUri: string },
): Promise<SignInClient> {
  if (account.clientId !== undefined) return { id: account.clientId, secret: null, method: 'none' };
  const { documentUrl, registered } = deps.identity;
  const known = server.issuer === null ? undefined : registered?.(server.issuer);
  if (known) return withSecret(known.clientId, known.clientSecret ?? null, server);
  if (server.takesClientDocuments && documentUrl !== undefined) {
    return { id: documentUrl, secret: null, method: 'none' };
  }
  if (server.registrationEndpoint !== null) return registration(deps, requests, server, redirectUri);
  throw new SignInFault('The sign-in server takes no new clients, and the app names none.');
}

/** Forgets a registration, so that the next sign-in makes a new one: the server may have forgotten it too. */
export async function forgetClient(
  { vault }: Pick<Deps, 'vault'>,
  issuer: string,
  redirectUri: string,
): Promise<void> {
  await vault.change(entryName(issuer, redirectUri), () => null);
}
