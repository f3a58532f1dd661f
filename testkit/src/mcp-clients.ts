/** What the clients of all versions of the MCP SDK have. */
export type AnyMcpClient = {
  connect(transport: unknown): Promise<void>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: object }): Promise<{ content?: unknown }>;
  close(): Promise<void>;
};

type Started = { command: string; args: string[]; env: Record<string, string>; stderr: 'ignore' };

/** A version of the MCP SDK: its client, and its transport for servers that it starts. */
export type McpSdk = {
  Client: new (info: object, options: object) => AnyMcpClient;
  StdioClientTransport: new (server: Started) => unknown;
};

/** The SDK in two of its modules. */
export const mcpSdk = async (client: Promise<object>, stdio: Promise<object>): Promise<McpSdk> =>
  ({ ...(await client), ...(await stdio) }) as unknown as McpSdk;

/** Versions of the MCP SDK that agents in use have, of 2024 to the first of 2026. */
export const OLDER_MCP_SDKS: Readonly<Record<string, () => Promise<McpSdk>>> = {
  '1.0.4': () => mcpSdk(import('mcp-sdk-1.0/client/index.js'), import('mcp-sdk-1.0/client/stdio.js')),
  '1.8.0': () => mcpSdk(import('mcp-sdk-1.8/client/index.js'), import('mcp-sdk-1.8/client/stdio.js')),
  '1.12.3': () => mcpSdk(import('mcp-sdk-1.12/client/index.js'), import('mcp-sdk-1.12/client/stdio.js')),
  '1.20.2': () => mcpSdk(import('mcp-sdk-1.20/client/index.js'), import('mcp-sdk-1.20/client/stdio.js')),
  '2.0.0': () => mcpSdk(import('mcp-client-2.0'), import('mcp-client-2.0/stdio')),
};
