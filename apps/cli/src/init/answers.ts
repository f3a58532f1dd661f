/** How users sign in: not at all, as the MCP server advertises, or at explicit OAuth endpoints. */
export type AccountKind = 'none' | 'mcp' | 'oauth';

/** What `init` creates: an app for an existing MCP server, or an app with a new server. */
export type Template = 'app' | 'remote';

/** URL of a new server during development. */
export const LOCAL_MCP_URL = 'http://localhost:4700/mcp';

/** The input for a new app. The last three apply only to `account: 'oauth'`. */
export type Answers = {
  template: Template;
  name: string;
  id: string;
  publisher: string;
  description: string;
  mcpUrl: string;
  category: string;
  account: AccountKind;
  panel: boolean;
  authorizeUrl?: string | undefined;
  tokenUrl?: string | undefined;
  clientId?: string | undefined;
};

/** The text answers, with their JSON Pointers in the manifest. */
export const POINTERS = {
  name: '/name',
  publisher: '/publisher',
  id: '/id',
  description: '/description',
  mcpUrl: '/remote/mcpUrl',
  category: '/categories',
  authorizeUrl: '/accounts/0/authorizeUrl',
  tokenUrl: '/accounts/0/tokenUrl',
  clientId: '/accounts/0/clientId',
} as const satisfies Partial<Record<keyof Answers, string>>;

export type TextField = keyof typeof POINTERS;

/** The command line option for each answer. */
export const FLAGS: Readonly<Record<TextField, string>> = {
  name: '--name',
  publisher: '--publisher',
  id: '--id',
  description: '--description',
  mcpUrl: '--mcp-url',
  category: '--category',
  authorizeUrl: '--authorize-url',
  tokenUrl: '--token-url',
  clientId: '--client-id',
};

export const REQUIRED = ['name', 'publisher', 'id', 'description', 'mcpUrl'] as const satisfies TextField[];
export const REQUIRED_FOR_OAUTH = ['authorizeUrl', 'tokenUrl', 'clientId'] as const satisfies TextField[];
