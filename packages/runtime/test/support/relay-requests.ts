import { createHash } from 'node:crypto';

/** The first fields of every vector. */
export type Named = { name: string; why: string };

/** A PKCE verifier and its challenge. */
export type ChallengeVector = Named & { verifier: string; challenge: string };

/** The input of a sign-in, and the requests that the client sends for it. */
export type RequestVector = Named & {
  store: string;
  authorizeUrl: string;
  clientId: string;
  scopes: string[] | null;
  params: Record<string, string>;
  resource: string | null;
  state: string;
  verifier: string;
  redirectUri: string;
  /** The URL to open: without its query, and its query, which has each parameter once. */
  opened: { address: string; query: Record<string, string> };
  code: string;
  /** The form of the request to the token endpoint. */
  form: Record<string, string>;
};

const STATE = 'Jx0o5r9d-m3Qb7_tKzP2yA';
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const STORE = 'https://store.example.com';
const REDIRECT = `${STORE}/apps/oauth/callback`;
export const LOGIN = 'https://login.example.com';

const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

export const CHALLENGES: ChallengeVector[] = [
  { name: 'rfc', why: 'the example of RFC 7636 appendix B', verifier: VERIFIER, challenge: CHALLENGE },
  ...[
    ['shortest', 'the shortest verifier there may be', 'a'.repeat(43)],
    ['longest', 'the longest verifier there may be', 'Z9'.repeat(64)],
    [
      'all-letters',
      'every letter that a verifier may have',
      'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~',
    ],
    [
      'letters-for-addresses',
      'a hash whose base64 has both letters that are other ones in addresses',
      'svc-relay-vector-verifier-00000000000000000001',
    ],
  ].map(([name = '', why = '', verifier = '']) => ({
    name,
    why,
    verifier,
    challenge: challengeOf(verifier),
  })),
];

const ASKED = {
  response_type: 'code',
  client_id: 'client-1',
  redirect_uri: REDIRECT,
  state: STATE,
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
};
const FORM = {
  grant_type: 'authorization_code',
  code: 'the-code',
  code_verifier: VERIFIER,
  client_id: 'client-1',
  redirect_uri: REDIRECT,
};

type Asking = Named &
  Partial<Omit<RequestVector, 'opened' | 'form'>> & {
    query?: Record<string, string>;
    form?: Record<string, string>;
  };

const request = ({ query, form, ...given }: Asking): RequestVector => ({
  ...{
    store: STORE,
    authorizeUrl: `${LOGIN}/authorize`,
    clientId: 'client-1',
    scopes: null,
    params: {},
    resource: null,
  },
  ...{ state: STATE, verifier: VERIFIER, redirectUri: REDIRECT, code: 'the-code' },
  ...given,
  opened: { address: `${LOGIN}/authorize`, query: { ...ASKED, ...query } },
  form: { ...FORM, ...form },
});

export const REQUESTS: RequestVector[] = [
  request({
    name: 'plain',
    why: 'two scopes',
    scopes: ['notes.read', 'notes.write'],
    query: { scope: 'notes.read notes.write' },
  }),
  request({ name: 'no-scope', why: 'scopes that are left to the server' }),
  request({ name: 'empty-scopes', why: 'no scope', scopes: [] }),
  request({
    name: 'resource',
    why: 'discovered from the MCP server: it is named in both requests (RFC 8707)',
    resource: 'https://mcp.example.com/mcp',
    query: { resource: 'https://mcp.example.com/mcp' },
    form: { resource: 'https://mcp.example.com/mcp' },
  }),
  request({
    name: 'params',
    why: 'the manifest adds parameters, with letters that have a meaning in addresses',
    params: { audience: 'a b&c=d+e%20é', empty: '' },
    query: { audience: 'a b&c=d+e%20é', empty: '' },
  }),
  request({
    name: 'params-of-the-client',
    why: 'the manifest may not say what only the client may, in any letter case',
    params: {
      state: 'mine',
      Response_Mode: 'fragment',
      redirect_uri: 'https://evil.example/',
      CODE_CHALLENGE_METHOD: 'plain',
      scope: 'all',
      request_uri: 'https://evil.example/',
      client_secret: 'x',
      audience: 'notes',
    },
    query: { audience: 'notes' },
  }),
  request({
    name: 'address-with-query',
    why: 'the address has a query, which stays, and a fragment, which does not',
    authorizeUrl: `${LOGIN}/authorize?tenant=1#top`,
    query: { tenant: '1' },
  }),
  request({
    name: 'address-with-query-of-the-client',
    why: 'the address says in its query what only the client may',
    authorizeUrl: `${LOGIN}/authorize?state=mine&state=yours&code_challenge_method=plain&scope=all&request=x&tenant=1`,
    query: { tenant: '1' },
  }),
  request({
    name: 'offline-access',
    why: 'a scope that counts only where the person is asked (OpenID Connect Core section 11)',
    scopes: ['offline_access'],
    query: { scope: 'offline_access', prompt: 'consent' },
  }),
  request({
    name: 'offline-access-and-prompt',
    why: 'the manifest says how the person is asked',
    scopes: ['offline_access'],
    params: { prompt: 'login consent' },
    query: { scope: 'offline_access', prompt: 'login consent' },
  }),
  request({
    name: 'store-with-path',
    why: 'the address of the store has a path, and a slash at its end',
    store: `${STORE}/apps-of-ours/`,
    redirectUri: `${STORE}/apps-of-ours/apps/oauth/callback`,
    query: { redirect_uri: `${STORE}/apps-of-ours/apps/oauth/callback` },
    form: { redirect_uri: `${STORE}/apps-of-ours/apps/oauth/callback` },
  }),
  request({
    name: 'code-of-all-letters',
    why: 'a code goes back as it came, whatever letters it has',
    code: '4/0Ab+c=d&e f%2F~"\\é',
    form: { code: '4/0Ab+c=d&e f%2F~"\\é' },
  }),
];
