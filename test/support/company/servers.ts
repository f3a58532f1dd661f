import { createServer, type RequestListener } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { SMTPServer } from 'smtp-server';
import { z } from 'zod';
import { type Authority, readPair } from './authority.ts';

/** Starts the MCP server of a company on this machine, behind a proxy with TLS. @returns the tools that were called */
export async function openMcpServer(port: number): Promise<string[]> {
  const called: string[] = [];
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'directory', version: '1.0.0' });
    const about = {
      title: 'Find a colleague',
      description: 'Finds a colleague by name, and returns the desk.',
      inputSchema: z.object({ name: z.string() }),
      annotations: { readOnlyHint: true },
    };
    server.registerTool('find_colleague', about, ({ name }) => {
      called.push(name);
      return { content: [{ type: 'text', text: `${name} sits at desk 12.` }] };
    });
    return server;
  });
  const server = createServer(toNodeHandler(handler) as unknown as RequestListener);
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
