import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';

/**
 * Runs work with a local MCP server of the official SDK.
 * @param tools duration of a call per tool, in milliseconds
 * @param work called with the URL of the server
 */
export async function whileMcpServes<T>(
  tools: Readonly<Record<string, number>>,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'bench', version: '1.0.0' });
    for (const [name, ms] of Object.entries(tools)) {
      server.registerTool(name, { description: `Works for ${ms} ms.` }, async () => {
        if (ms > 0) await sleep(ms);
        return { content: [{ type: 'text', text: new Date().toISOString() }] };
      });
    }
    return server;
  });
  const listener = toNodeHandler(handler);
  const server = createServer((request, response) => void listener(request as never, response as never));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
