/** How the app gets an account of its user: not at all, as its MCP server says, or at addresses of its own. */
export type AccountKind = 'none' | 'mcp' | 'oauth';

/** What is made: the app of an MCP server that is there already, or both. */
export type Template = 'app' | 'remote';

/** Where a new server answers until it has a place of its own. */
export const LOCAL_MCP_URL = 'http://localhost:4700/mcp';

/** What a new app is made from. The last three matter for `account: 'oauth'` alone. */
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

/** The answers that are text, and where in the manifest each comes to stand. */
export const PLACES = {
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

export type TextField = keyof typeof PLACES;

/** The option of the command line for each answer. */
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
