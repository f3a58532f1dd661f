import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import type { Implementation, ServerCapabilities, Tool } from '@modelcontextprotocol/server';

/** The version of this package, or of the one that it is bundled into. */
const { version } = JSON.parse(readFileSync(findPackageJSON(import.meta.url) as string, 'utf8')) as {
  version: string;
};

/** What the gateway says of itself, also before a desktop runs. */
export const NAME = { name: 'svc', title: 'svc apps', version } satisfies Implementation;

export const CAPABILITIES: ServerCapabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
};

export const INSTRUCTIONS =
  'Tools of the apps that the user installed. Some ask the user first: wait for the answer. Files are given and returned as absolute paths.';

/** For an agent that has not listed the tools since there were new ones. */
export const NEW_TOOLS =
  'There are tools that you have not listed. List the tools again; if you cannot, ask the user to restart you.';

/** Tools of the gateway itself, in every session. Names of apps' tools contain `__`, so that they cannot collide. */
export const ALWAYS: readonly Tool[] = [
  {
    name: 'list_apps',
    title: 'List apps',
    description: 'Lists the installed apps that can be used here, with their accounts and number of tools.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'connect_account',
    title: 'Connect an account',
    description:
      'Asks the user to connect an account of an app. The user signs in in the browser; tokens are never shown here.',
    inputSchema: {
      type: 'object',
      properties: {
        app: { type: 'string', description: 'Id of the app, as list_apps gives it.' },
        account: { type: 'string', description: 'Id of the account, as list_apps gives it.' },
      },
      required: ['app', 'account'],
      additionalProperties: false,
    },
  },
];

/** Offered instead of the tools of apps if there are too many to list. */
export const SEARCH: readonly Tool[] = [
  {
    name: 'find_tools',
    title: 'Find tools',
    description:
      'Searches the tools of the installed apps by what they do. Returns names, descriptions and schemas for call_tool.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What the tool should do, in a few words.' },
        app: { type: 'string', description: 'Id of the only app to search.' },
      },
      required: ['query'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'call_tool',
    title: 'Call a tool',
    description: 'Calls a tool that find_tools found.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Name of the tool, as find_tools gives it.' },
        arguments: { type: 'object', description: 'Arguments that match the schema of the tool.' },
        files: {
          type: 'object',
          description: 'Absolute paths for the arguments that take files.',
          additionalProperties: {
            anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
          },
        },
      },
      required: ['name'],
      additionalProperties: false,
    },
  },
];

/**
 * The tool to which the document of a panel sends its requests. The key finds the panel and with it the app, in which names are resolved:
 * a host gives a page all tools of a server, and the gateway is one server for all apps.
 */
export const PANEL_REQUEST: Tool = {
  name: 'panel_request',
  title: 'Request of a panel',
  description: 'Only panels of apps call it, with the key that their page has.',
  inputSchema: {
    type: 'object',
    properties: { key: { type: 'string' }, method: { type: 'string' }, params: { type: 'object' } },
    required: ['key', 'method'],
    additionalProperties: false,
  },
  _meta: { ui: { visibility: ['app'] } },
};

/** The names of the tools of the gateway itself. */
export const GATEWAY_TOOLS: readonly string[] = [...ALWAYS, ...SEARCH, PANEL_REQUEST].map(({ name }) => name);
