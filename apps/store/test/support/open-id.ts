import { serveHere } from '@svc/testkit/http-server';
import { signingJwk } from '@svc/testkit/rsa-key';
import { type Configuration, Provider } from 'oidc-provider';
import { onTestFinished, vi } from 'vitest';
import { BASE_URL } from './test-store.ts';

export const CLIENT = { clientId: 'svc-store', clientSecret: 'a-secret-of-the-client-0123456789' };

type Account = Record<string, string | boolean | readonly string[]>;

/** Silences the library's warning that its defaults are only for development. */
function hush(): void {
  const spies = (['info', 'warn'] as const).map((method) =>
    vi.spyOn(console, method).mockImplementation(() => {}),
  );
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
}

/** Grants a client what it asks for, without a page of consent. */
export const grantAtOnce: NonNullable<Configuration['loadExistingGrant']> = async ({ oidc }) => {
  const grant = new oidc.provider.Grant({
    accountId: oidc.session?.accountId ?? '',
    clientId: oidc.client?.clientId ?? '',
  });
  grant.addOIDCScope('openid profile email');
  await grant.save();
  return grant;
};

/**
 * A real OpenID provider that signs in any account without a password.
 * @param accounts claims by subject; what a test changes or deletes counts from then on
 * @returns its URL, and a function that acts as the browser: it opens a URL, and returns the callback URL
 */
export async function openIdProvider(id: string, accounts: Record<string, Account>) {
  hush();
  let present = Object.keys(accounts)[0] ?? '';
  let mode: 'answers' | 'fails' | 'hangs' = 'answers';
  const issuer = await serveHere((url) => {
    const provider = new Provider(url, {
      clients: [
        {
          client_id: CLIENT.clientId,
          client_secret: CLIENT.clientSecret,
          redirect_uris: [`${BASE_URL}/sign-in/${id}/callback`],
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
        },
      ],
      claims: {
        openid: ['sub'],
        email: ['email', 'email_verified'],
        profile: ['name', 'preferred_username', 'groups'],
      },
      findAccount: (_context, accountId) =>
        Object.hasOwn(accounts, accountId)
          ? { accountId, claims: async () => ({ sub: accountId, ...accounts[accountId] }) }
          : undefined,
      // The library gives one for `prompt=consent` alone.
      issueRefreshToken: async () => true,
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      loadExistingGrant: grantAtOnce,
      features: { devInteractions: { enabled: false } },
      pkce: { required: () => true },
      jwks: { keys: [signingJwk()] },
      cookies: { keys: ['a key of a test'] },
    });
    const callback = provider.callback();
    return (request, response) => {
      if (mode === 'hangs') return;
      if (mode === 'fails') return void response.writeHead(502).end();
      if (!request.url?.startsWith('/interaction/')) return void callback(request, response);
      void provider.interactionFinished(request, response, { login: { accountId: present } });
    };
  });

  return {
    issuer,
    settings: { id, label: `The ${id}`, issuer, ...CLIENT },
    /** Answers, answers 502 to everything, or does not answer at all from now on. */
    become(next: typeof mode): void {
      mode = next;
    },
    /** Follows the store's redirect to the provider as an account, and returns the path of the callback. */
    async visit(location: string, account = present): Promise<string> {
      present = account;
      const cookies = new Map<string, string>();
      let url = new URL(location);
      while (url.origin === new URL(issuer).origin) {
        const cookie = Array.from(cookies, (pair) => pair.join('=')).join('; ');
        const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
        for (const line of answer.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
          cookies.set(name, value);
        }
        const next = answer.headers.get('location');
        if (next === null) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
        url = new URL(next, url);
      }
      return url.pathname + url.search;
    },
  };
}
