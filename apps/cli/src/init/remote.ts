import { type Answers, LOCAL_MCP_URL } from './answers.ts';
import { appFiles } from './files.ts';
import { readParts } from './parts.ts';

const PACKAGE = (id: string): object => ({
  name: `${id.split('.').at(-1)}-server`,
  version: '0.1.0',
  private: true,
  type: 'module',
  engines: { node: '>=24' },
  scripts: { start: 'node main.ts', dev: 'node --watch main.ts' },
  dependencies: {
    '@modelcontextprotocol/node': '^2.1.2',
    '@modelcontextprotocol/server': '^2.4.0',
    zod: '^4.6.7',
  },
});

const MAIN = `import { createServer } from 'node:http';
import { hostHeaderValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { createTools } from './tools.ts';

const PORT = Number(process.env.PORT ?? ${new URL(LOCAL_MCP_URL).port});

/** Public host name of this server, when it is behind a TLS proxy. */
const { PUBLIC_HOST } = process.env;

// Blocks DNS rebinding: a page that resolves its own name to this machine sends another Host header.
const isValidHost = hostHeaderValidation(['localhost', '127.0.0.1', ...(PUBLIC_HOST ? [PUBLIC_HOST] : [])]);

/** Maximum bytes of a request. A client passes at most 64 MiB of files, in base64. */
const maxRequestBodySize = 96 * 1024 * 1024;
const mcp = toNodeHandler(createMcpHandler(createTools, { maxRequestBodySize }), { maxRequestBodySize });

const server = createServer((request, response) => {
  if (!isValidHost(request, response)) return;
  if (request.url === '/mcp') void mcp(request, response);
  else response.writeHead(404).end();
});

server.listen(PORT, '127.0.0.1', () => {
  const address = server.address();
  console.log(\`MCP server: http://localhost:\${typeof address === 'object' ? address?.port : ''}/mcp\`);
});
`;

const tools = ({ name }: Answers): string => `import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** The tools of the app. List each tool in app/plugin.json under the same name: clients call no others. */
export function createTools(): McpServer {
  const server = new McpServer({ name: ${JSON.stringify(name)}, version: '0.1.0' });
  server.registerTool(
    'count_words',
    { description: 'Counts the words of a text.', inputSchema: z.object({ text: z.string().max(100_000) }) },
    async ({ text }) => {
      const words = text.split(/\\s+/).filter(Boolean).length;
      return { content: [{ type: 'text', text: \`\${words}\` }], structuredContent: { words } };
    },
  );
  return server;
}
`;

const PARTS_README = `# Parts

For later: a sign-in for the server (OAuth 2.1, in SQLite), and the client library of panels. Copy them over \`server\` and \`app\` when you need
them, as the tutorial of the store shows, or delete this folder.
`;

const COUNT_WORDS = {
  id: 'count_words',
  name: 'Count words',
  description: 'Counts the words of the text in `text`, and returns how many there are.',
};

/** Adds the tool of the server to the manifest. */
function withTool(manifest: string): string {
  const parsed = JSON.parse(manifest);
  return `${JSON.stringify({ ...parsed, contributes: { ...parsed.contributes, tools: [COUNT_WORDS] } }, null, 2)}\n`;
}

/**
 * The files of a new app with its MCP server: the bundle in `app/`, the server in `server/`, and in `parts/` what it needs later.
 * @param store URL of the store, which serves the JSON Schema of the manifest
 */
export function remoteFiles(answers: Answers, store: string): ReadonlyMap<string, string> {
  const app = [...appFiles(answers, store)].map(
    ([name, content]) => [`app/${name}`, name === 'plugin.json' ? withTool(content) : content] as const,
  );
  return new Map([
    ...app,
    ['server/package.json', `${JSON.stringify(PACKAGE(answers.id), null, 2)}\n`],
    ['server/main.ts', MAIN],
    ['server/tools.ts', tools(answers)],
    ...readParts().map(([name, text]) => [`parts/${name}`, text] as const),
    ['parts/README.md', PARTS_README],
    ['.gitignore', 'node_modules/\n*.svc-app\n'],
  ]);
}
