import { createHash, randomBytes } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { openPinboard, type PinboardOptions } from '../../server/index.ts';
import { type Answers, openBrowser } from './person.ts';

/** The redirect URI of the client. No server listens there. */
export const REDIRECT = 'https://store.example.com/apps/oauth/callback';

export type Tokens = { access_token: string; refresh_token: string; expires_in: number; scope: string };

/** A server that is closed after the test; unexpected errors fail the test. */
export async function startPinboard(options: PinboardOptions = {}) {
  const faults: unknown[] = [];
  const pinboard = await openPinboard({ onFault: (fault) => faults.push(fault), ...options });
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    await pinboard.close();
  };
  onTestFinished(async () => {
    await close();
    expect(faults).toEqual([]);
  });
  return { ...pinboard, close, ...clientOf(pinboard) };
}

/** A client of the server: registers, starts sign-ins, and fetches tokens. */
function clientOf({ origin, mcpUrl }: { origin: string; mcpUrl: string }) {
  const register = (metadata: object = {}): Promise<Response> =>
    fetch(`${origin}/reg`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'A chat client',
        redirect_uris: [REDIRECT],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        ...metadata,
      }),
    });

  const authorizeUrl = (parameters: Record<string, string>, verifier = 'v'.repeat(43)): string => {
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const query = new URLSearchParams({
      response_type: 'code',
      redirect_uri: REDIRECT,
      scope: 'board',
      resource: mcpUrl,
      state: 's'.repeat(22),
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...parameters,
    });
    return `${origin}/auth?${query}`;
  };

  const token = (form: Record<string, string>): Promise<Response> =>
    fetch(`${origin}/token`, { method: 'POST', body: new URLSearchParams(form) });

  /** Does a complete sign-in. */
  async function connect(answers: Answers, parameters: Record<string, string> = {}) {
    const { client_id } = (await (await register()).json()) as { client_id: string };
    const verifier = randomBytes(32).toString('base64url');
    const { url } = await openBrowser().signIn(authorizeUrl({ client_id, ...parameters }, verifier), answers);
    const code = url.searchParams.get('code') ?? '';
    const answer = await token({
      grant_type: 'authorization_code',
      code,
      client_id,
      redirect_uri: REDIRECT,
      code_verifier: verifier,
      ...(parameters.resource !== '' && { resource: mcpUrl }),
    });
    const tokens = (await answer.json()) as Tokens;
    expect(answer.status, JSON.stringify(tokens)).toBe(200);
    return { client_id, tokens, code, verifier, url };
  }

  const api = (path: string, access: string, init: RequestInit = {}): Promise<Response> =>
    fetch(origin + path, { ...init, headers: { ...init.headers, authorization: `Bearer ${access}` } });

  /** A signed-in user with a token. */
  async function person(name: string) {
    const { tokens } = await connect({ name });
    return {
      token: tokens.access_token,
      ask: (path: string, init?: RequestInit) => api(path, tokens.access_token, init),
    };
  }

  return { register, authorizeUrl, token, connect, api, person };
}
