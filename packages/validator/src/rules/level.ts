import { defineRule } from '../rule.ts';

const isThere = (value: unknown): boolean => value !== undefined;

/** Fields that only apps shipped with the client, or local folders, may have. */
export const levelRules = [
  defineRule({
    code: 'level.server',
    level: 'store-error',
    target: 'server',
    message:
      'Only built-in and local apps may run a "server": name an MCP server in "remote.mcpUrl" instead.',
    why: "A store app runs no code on the user's machine.",
    example: {
      path: '/server',
      mode: 'dev',
      broken: { manifest: { remote: undefined, server: 'server.js' } },
      fixed: { manifest: { server: undefined } },
    },
    fails: isThere,
  }),
  defineRule({
    code: 'level.activation',
    level: 'store-error',
    target: 'activation',
    message: 'Only built-in and local apps may set "activation" to "always": remove it.',
    why: 'The user decides which store apps are switched on.',
    example: {
      path: '/activation',
      broken: { manifest: { activation: 'always' } },
      fixed: { manifest: { activation: undefined } },
    },
    fails: (activation) => activation === 'always',
    // Any other value, and none, leave it to the user. A local folder may keep it.
    repair: (_value, { mode }) => (mode === 'store' ? { remove: true } : undefined),
  }),
  defineRule({
    code: 'level.skills',
    level: 'store-error',
    target: 'contributes.skills',
    message:
      "Only built-in and local apps may bring skills: describe what the agent should know in the tools' descriptions.",
    why: 'Skills are instructions the agent obeys; in an app from outside they could give it orders nobody reviewed.',
    example: {
      path: '/contributes/skills',
      broken: { manifest: { contributes: { skills: ['skills/notes.md'] } } },
      fixed: { manifest: { contributes: {} } },
    },
    fails: isThere,
  }),
  defineRule({
    code: 'level.hooks',
    level: 'store-error',
    target: 'contributes.hooks',
    message: 'Only built-in and local apps may bring hooks: remove them.',
    why: "Hooks run commands on the user's machine.",
    example: {
      path: '/contributes/hooks',
      broken: { manifest: { contributes: { hooks: { start: 'hooks/start.js' } } } },
      fixed: { manifest: { contributes: {} } },
    },
    fails: isThere,
  }),
  defineRule({
    code: 'level.mcp',
    level: 'store-error',
    target: 'contributes.mcp',
    message: 'Only built-in and local apps may start MCP servers: name yours in "remote.mcpUrl".',
    why: "An MCP server started by the client is a program on the user's machine.",
    example: {
      path: '/contributes/mcp',
      broken: { manifest: { contributes: { mcp: { notes: { command: 'notes-mcp' } } } } },
      fixed: { manifest: { contributes: {} } },
    },
    fails: isThere,
  }),
  defineRule({
    code: 'level.adapters',
    level: 'store-error',
    target: 'contributes.adapters',
    message: 'Only built-in and local apps may bring adapters: remove them.',
    why: 'Adapters change how the client itself works.',
    example: {
      path: '/contributes/adapters',
      broken: { manifest: { contributes: { adapters: ['adapters/notes.js'] } } },
      fixed: { manifest: { contributes: {} } },
    },
    fails: isThere,
  }),
  defineRule({
    code: 'level.secrets',
    level: 'store-error',
    target: 'contributes.secrets',
    message: 'Only built-in and local apps may ask for secrets: declare a sign-in under "accounts".',
    why: 'A pasted key never expires and opens everything; a connected account can be limited and taken back.',
    example: {
      path: '/contributes/secrets',
      broken: { manifest: { contributes: { secrets: ['NOTES_API_KEY'] } } },
      fixed: { manifest: { contributes: {} } },
    },
    fails: isThere,
  }),
] as const;
