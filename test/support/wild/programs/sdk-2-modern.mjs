// The MCP SDK 2 with the revision 2026-07-28 alone, by standard streams or HTTP.
import { createServer } from 'node:http';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const [, , how, port] = process.argv;

function make() {
  const server = new McpServer({ name: 'sdk-2-modern', version: '1.0.0', title: 'Adder' });
  server.registerTool(
    'add',
    {
      title: 'Add',
      description: 'Adds two numbers.',
      inputSchema: z.object({ a: z.number(), b: z.number().describe('the second') }),
      outputSchema: z.object({ sum: z.number() }),
      annotations: { readOnlyHint: true },
      _meta: { 'example.com/weight': 2 },
    },
    async ({ a, b }) => ({
      content: [{ type: 'text', text: String(a + b), annotations: { audience: ['user'] } }],
      structuredContent: { sum: a + b },
    }),
  );
  return server;
}

/** Reads a request whole, and answers with what the handler of web standards returns. */
async function answer(handler, request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method, headers, url } = request;
  const body = method === 'POST' ? Buffer.concat(chunks) : undefined;
  const given = await handler.fetch(new Request(`http://localhost:${port}${url}`, { method, headers, body }));
  response.writeHead(given.status, Object.fromEntries(given.headers));
  if (given.body) for await (const chunk of given.body) response.write(chunk);
  response.end();
}

if (how === 'stdio') serveStdio(make, { legacy: 'reject' });
else {
  const handler = createMcpHandler(make, { legacy: 'reject' });
  createServer((request, response) => void answer(handler, request, response)).listen(
    Number(port),
    'localhost',
  );
}
