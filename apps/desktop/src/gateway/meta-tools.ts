import type { Tool } from '@modelcontextprotocol/server';

/** Beside the tools of apps, in every session. Names of apps' tools have `__`, so that none is one of these. */
export const ALWAYS: readonly Tool[] = [
  {
    name: 'list_apps',
    title: 'List apps',
    description: 'The installed apps that may be used here, with their accounts and how many tools each has.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'connect_account',
    title: 'Connect an account',
    description:
      'Asks the person to connect an account of an app. They sign in in their browser; no token is ever shown here.',
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

/** In place of the tools of apps, when there are too many of them to be listed. */
export const SEARCH: readonly Tool[] = [
  {
    name: 'find_tools',
    title: 'Find tools',
    description:
      'Searches the tools of the installed apps by words of what they do. Answers with names, descriptions and schemas for call_tool.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What the tool shall do, in a few words.' },
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
        arguments: { type: 'object', description: 'As the schema of the tool has them.' },
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
