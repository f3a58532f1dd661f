import { inContributes, inManifest, storeErrorRule } from '../rule.ts';

const isThere = (value: unknown): boolean => value !== undefined;

/** Fields that only built-in apps and local folders may have. */
export const levelRules = [
  storeErrorRule('level.server', 'server', {
    message:
      'Only built-in and local apps may run a "server": set "remote.mcpUrl" to the URL of an MCP server instead.',
    why: "A store app runs no code on the user's machine.",
    example: inManifest('/server', { remote: undefined, server: 'server.js' }, { server: undefined }, 'dev'),
    fails: isThere,
  }),
  storeErrorRule('level.activation', 'activation', {
    message: 'Only built-in and local apps may set "activation" to "always": remove it.',
    why: 'The user decides which store apps are on.',
    example: inManifest('/activation', { activation: 'always' }, { activation: undefined }),
    fails: (activation) => activation === 'always',
    // Any other value leaves the decision to the user. A local folder may keep it.
    repair: (_value, { mode }) => (mode === 'store' ? { remove: true } : undefined),
  }),
  storeErrorRule('level.skills', 'contributes.skills', {
    message:
      'Only built-in and local apps may have skills: put what the agent must know into the descriptions of the tools.',
    why: 'Skills are instructions that the agent follows. A store app could give it instructions that were not reviewed.',
    example: inContributes('/skills', { skills: ['skills/notes.md'] }),
    fails: isThere,
  }),
  storeErrorRule('level.hooks', 'contributes.hooks', {
    message: 'Only built-in and local apps may have hooks: remove them.',
    why: "Hooks run commands on the user's machine.",
    example: inContributes('/hooks', { hooks: { start: 'hooks/start.js' } }),
    fails: isThere,
  }),
  storeErrorRule('level.mcp', 'contributes.mcp', {
    message:
      'Only built-in and local apps may start MCP servers: set "remote.mcpUrl" to the URL of yours instead.',
    why: "An MCP server started by the client is a program on the user's machine.",
    example: inContributes('/mcp', { mcp: { notes: { command: 'notes-mcp' } } }),
    fails: isThere,
  }),
  storeErrorRule('level.adapters', 'contributes.adapters', {
    message: 'Only built-in and local apps may have adapters: remove them.',
    why: 'Adapters change how the client itself works.',
    example: inContributes('/adapters', { adapters: ['adapters/notes.js'] }),
    fails: isThere,
  }),
  storeErrorRule('level.secrets', 'contributes.secrets', {
    message:
      'Only built-in and local apps may ask for secrets: declare an OAuth account under "accounts" instead.',
    why: 'A pasted API key often never expires and gives full access. The access of a connected account can be limited and revoked.',
    example: inContributes('/secrets', { secrets: ['NOTES_API_KEY'] }),
    fails: isThere,
  }),
] as const;
