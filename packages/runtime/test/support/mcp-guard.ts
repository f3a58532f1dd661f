import type { RequestListener } from 'node:http';
import { serveHere } from '@svc/testkit/http-server';
import { json } from './mcp-server.ts';

/**
 * An MCP server that answers each request with 401, and publishes its protected resource metadata.
 * @param issuer its authorization server
 * @param scope of the challenge
 */
export async function guardedMcp(issuer: string, { scope = '', path = '/mcp' } = {}) {
  const url = await serveHere((own) => (request, response) => {
    const metadata = `${own}/.well-known/oauth-protected-resource${path}`;
    if (own + request.url === metadata) {
      const body = {
        resource: own + path,
        authorization_servers: [issuer],
        scopes_supported: ['notes:read'],
      };
      response.setHeader('content-type', 'application/json');
      return void response.end(JSON.stringify(body));
    }
    const wanted = scope === '' ? '' : `, scope="${scope}"`;
    response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"${wanted}` });
    response.end();
  });
  return url + path;
}

/**
 * Protects an MCP server with an authorization server: a request without a valid token gets a 401 with the URL of the metadata.
 * @param isGood whether the issuer has issued a token
 */
export const behindSignIn =
  (issuer: string, isGood: (token: string) => Promise<boolean>, listener: (url: string) => RequestListener) =>
  (own: string): RequestListener => {
    const open = listener(own);
    const metadata = `${own}/.well-known/oauth-protected-resource/mcp`;
    const body = {
      resource: `${own}/mcp`,
      authorization_servers: [issuer],
      scopes_supported: ['notes:read'],
    };
    return async (request, response) => {
      if (own + request.url === metadata) return json(response, body);
      const [, token = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
      if (token !== '' && (await isGood(token))) return open(request, response);
      const headers = { 'www-authenticate': `Bearer resource_metadata="${metadata}"` };
      response.writeHead(401, headers).end();
    };
  };
