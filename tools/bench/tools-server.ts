import { whileMcpServes } from './lib/mcp-server.ts';

// An MCP server with six tools, until it is killed.
const tools = Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`tool-${n}`, 0]));
await whileMcpServes(tools, async (url) => {
  process.stdout.write(`${JSON.stringify({ port: Number(new URL(url).port) })}\n`);
  // The port that listens keeps the process running.
  await new Promise(() => undefined);
});
