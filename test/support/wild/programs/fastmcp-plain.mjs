// FastMCP without a sign-in, by standard streams or HTTP.
import { FastMCP } from 'fastmcp';
import { z } from 'zod';

const [, , how, port] = process.argv;
const server = new FastMCP({ name: 'fastmcp-plain', version: '1.0.0', instructions: 'Adds numbers.' });

server.addTool({
  name: 'add',
  description: 'Adds two numbers.\n\n- a: the first\n- b: the second',
  annotations: { title: 'Addition', readOnlyHint: true, openWorldHint: false },
  parameters: z.object({ a: z.number().describe('the first'), b: z.number().describe('the second') }),
  execute: async ({ a, b }) => String(a + b),
});

await server.start(
  how === 'stdio'
    ? { transportType: 'stdio' }
    : { transportType: 'httpStream', httpStream: { port: Number(port), endpoint: '/mcp' } },
);
