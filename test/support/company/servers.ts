import { createServer, type RequestListener } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { SMTPServer } from 'smtp-server';
import { z } from 'zod';
import { type Authority, readPair } from './authority.ts';

/** The servers of a company for MCP: of the directory, and of the desks, which needs a sign-in. */
const DIRECTORY = {
  name: 'find_colleague',
  title: 'Find a colleague',
  description: 'Finds a colleague by name, and returns the desk.',
};
const DESKS = {
  name: 'book_desk',
  title: 'Book a desk',
  description: 'Books a desk for you, by the name of a colleague next to whom you sit.',
};

const serverOf = ({ name: tool, ...about }: typeof DESKS, answer: (name: string) => string) =>
  toNodeHandler(
    createMcpHandler(() => {
      const server = new McpServer({ name: tool, version: '1.0.0' });
      const input = { inputSchema: z.object({ name: z.string() }), annotations: { readOnlyHint: true } };
      server.registerTool(tool, { ...about, ...input }, ({ name }) => ({
        content: [{ type: 'text', text: answer(name) }],
      }));
      return server;
    }),
  ) as unknown as RequestListener;

/**
 * Starts the MCP servers of a company on this machine, behind a proxy with TLS: `/mcp`, and `/desks` for accounts of its provider.
 * @param accountOf the account to which the provider issued a token
 * @returns the arguments of the calls
 */
export async function openMcpServers(
  port: number,
  issuer: string,
  accountOf: (token: string) => Promise<string | undefined>,
): Promise<string[]> {
  const called: string[] = [];
  const open = serverOf(DIRECTORY, (name) => {
    called.push(name);
    return `${name} sits at desk 12.`;
  });
  const [host, metadata] = ['https://mcp.corp.example', '/.well-known/oauth-protected-resource/desks'];
  const server = createServer(async (request, response) => {
    if (request.url === metadata) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ resource: `${host}/desks`, authorization_servers: [issuer] }));
    } else if (request.url !== '/desks') open(request, response);
    else {
      const account = await accountOf(String(request.headers.authorization).replace(/^Bearer /, ''));
      if (account) return serverOf(DESKS, (name) => `${account} sits next to ${name}.`)(request, response);
      const headers = { 'www-authenticate': `Bearer resource_metadata="${host}${metadata}"` };
      response.writeHead(401, headers).end();
    }
  });
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  return called;
}

/** Starts the mail server of a company, with TLS from the first byte. @returns the subjects of its mails */
export function openMailServer(authority: Authority): string[] {
  const subjects: string[] = [];
  const server = new SMTPServer({
    secure: true,
    ...readPair(authority.issue('mail.example.com')),
    onAuth: ({ username, password }, _session, done) =>
      username === 'store' && password === 'password'
        ? done(null, { user: username })
        : done(new Error('The password is wrong.')),
    onData(stream, _session, done) {
      let raw = '';
      stream.on('data', (chunk) => {
        raw += chunk;
      });
      stream.on('end', () => {
        subjects.push(/^Subject: (.*)$/m.exec(raw)?.[1]?.trim() ?? '');
        done();
      });
    },
  });
  server.listen(465, '127.0.0.1');
  return subjects;
}
