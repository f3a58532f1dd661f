import { existsSync } from 'node:fs';
import path from 'node:path';

/** How an agent connects to the gateway: by starting a program, or by HTTP to a running desktop. */
export type GatewayTarget =
  | { kind: 'stdio'; command: string; args: readonly string[] }
  | { kind: 'http'; url: string; bearer: string };

/** The user's home folder and environment, which locate configuration files. */
export type Places = {
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  platform?: NodeJS.Platform;
};

/** The name of our server in the configurations. */
export const SERVER = 'svc';

type Entry = Record<string, unknown>;

/** An agent, and how it is configured. Most entries were never tried with the program: docs/project/foreign-servers.md names those that were. */
type Agent = {
  name: string;
  /** The file in which it keeps the user's MCP servers. */
  file(places: Places): string;
  format: 'json' | 'toml' | 'yaml';
  /** The key of its servers. */
  servers: string;
  /** Its programs, for agents whose file may be missing. */
  programs?: readonly string[];
  /** Fields of an entry that starts a program; default: `command` and `args`. */
  stdio?(command: string, args: readonly string[]): Entry;
  /** Fields of an entry for a server over HTTP; null for agents that have no header for a bearer in their file. */
  http: ((url: string, headers: Readonly<Record<string, string>>) => Entry) | null;
  /** Fields for runs without a user: the agent waits for the tools, and asks nothing itself. svc asks for what an app has confirmed. */
  unattended?: Entry;
};

const byUrl = (url: string, headers: object): Entry => ({ url, headers });

/** The folder of settings of a desktop program. */
function settingsFolder({ home, env, platform = process.platform }: Places): string {
  if (platform === 'win32') return env.APPDATA || path.join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support');
  return env.XDG_CONFIG_HOME || path.join(home, '.config');
}

const configFolder = ({ home, env }: Places): string => env.XDG_CONFIG_HOME || path.join(home, '.config');

/** The other file where only that one exists. */
const unlessOnly = (file: string, other: string): string =>
  !existsSync(file) && existsSync(other) ? other : file;

/** opencode reads either name. */
function opencodeFile(places: Places): string {
  const folder = path.join(configFolder(places), 'opencode');
  return unlessOnly(path.join(folder, 'opencode.json'), path.join(folder, 'opencode.jsonc'));
}

/** The file that the program, and the extensions since 4.0, share; before, the extension of VS Code had its own, and 4.0 takes it over once. */
function clineFile(places: Places): string {
  const { home, env } = places;
  const name = 'cline_mcp_settings.json';
  const shared = path.join(env.CLINE_DIR || path.join(home, '.cline'), 'data', 'settings', name);
  const extension = path.join(
    settingsFolder(places),
    'Code',
    'User',
    'globalStorage',
    'saoudrizwan.claude-dev',
  );
  return env.CLINE_MCP_SETTINGS_PATH || unlessOnly(shared, path.join(extension, 'settings', name));
}

/** The settings of VS Code, or of the build of it that is there alone. */
function vscodeFile(places: Places): string {
  const inBuild = (name: string) => path.join(settingsFolder(places), name, 'User');
  const found = ['Code', 'Code - Insiders', 'VSCodium'].map(inBuild).find((folder) => existsSync(folder));
  return path.join(found ?? inBuild('Code'), 'mcp.json');
}

const inHome =
  (...names: string[]) =>
  ({ home }: Places): string =>
    path.join(home, ...names);

/** Seconds that an agent waits for the start of a desktop, and for the user's answer during a call. */
const START_SECONDS = 60;
const CALL_SECONDS = 660;

const MCP_SERVERS = { format: 'json', servers: 'mcpServers' } as const;

const KNOWN = {
  'claude-code': {
    ...MCP_SERVERS,
    name: 'Claude Code',
    file: ({ home, env }) => path.join(env.CLAUDE_CONFIG_DIR || home, '.claude.json'),
    programs: ['claude'],
    stdio: (command, args) => ({ type: 'stdio', command, args }),
    http: (url, headers) => ({ type: 'http', url, headers }),
  },
  codex: {
    name: 'Codex',
    file: ({ home, env }) => path.join(env.CODEX_HOME || path.join(home, '.codex'), 'config.toml'),
    format: 'toml',
    servers: 'mcp_servers',
    programs: ['codex'],
    // Its defaults are 10 and 60 seconds: fewer than a question to the user takes.
    stdio: (command, args) => ({
      command,
      args,
      startup_timeout_sec: START_SECONDS,
      tool_timeout_sec: CALL_SECONDS,
    }),
    http: (url, headers) => ({ url, http_headers: headers, tool_timeout_sec: CALL_SECONDS }),
    // A run without a user begins before servers that are not required have started, and then has no tools.
    unattended: { default_tools_approval_mode: 'approve', required: true },
  },
  'gemini-cli': {
    ...MCP_SERVERS,
    name: 'Gemini CLI',
    file: inHome('.gemini', 'settings.json'),
    programs: ['gemini'],
    http: (httpUrl, headers) => ({ httpUrl, headers }),
    unattended: { trust: true },
  },
  opencode: {
    name: 'opencode',
    file: opencodeFile,
    format: 'json',
    servers: 'mcp',
    programs: ['opencode'],
    stdio: (command, args) => ({ type: 'local', command: [command, ...args], enabled: true }),
    http: (url, headers) => ({ type: 'remote', url, headers, enabled: true }),
  },
  cursor: { ...MCP_SERVERS, name: 'Cursor', file: inHome('.cursor', 'mcp.json'), http: byUrl },
  vscode: {
    name: 'VS Code',
    file: vscodeFile,
    format: 'json',
    servers: 'servers',
    programs: ['code'],
    stdio: (command, args) => ({ type: 'stdio', command, args }),
    http: (url, headers) => ({ type: 'http', url, headers }),
  },
  'claude-desktop': {
    ...MCP_SERVERS,
    name: 'Claude Desktop',
    file: (places) => path.join(settingsFolder(places), 'Claude', 'claude_desktop_config.json'),
    http: null,
  },
  'copilot-cli': {
    ...MCP_SERVERS,
    name: 'Copilot CLI',
    file: ({ home, env }) => path.join(env.COPILOT_HOME || path.join(home, '.copilot'), 'mcp-config.json'),
    programs: ['copilot'],
    stdio: (command, args) => ({ type: 'local', command, args, tools: ['*'] }),
    http: (url, headers) => ({ type: 'http', url, headers, tools: ['*'] }),
  },
  goose: {
    name: 'Goose',
    file: (places) =>
      (places.platform ?? process.platform) === 'win32'
        ? path.join(settingsFolder(places), 'Block', 'goose', 'config', 'config.yaml')
        : path.join(configFolder(places), 'goose', 'config.yaml'),
    format: 'yaml',
    servers: 'extensions',
    programs: ['goose'],
    stdio: (cmd, args) => ({
      ...{ name: SERVER, type: 'stdio', enabled: true, cmd, args, timeout: CALL_SECONDS },
    }),
    http: (uri, headers) => ({
      ...{ name: SERVER, type: 'streamable_http', enabled: true, uri, headers, timeout: CALL_SECONDS },
    }),
  },
  zed: {
    name: 'Zed',
    file: (places) =>
      (places.platform ?? process.platform) === 'win32'
        ? path.join(settingsFolder(places), 'Zed', 'settings.json')
        : path.join(configFolder(places), 'zed', 'settings.json'),
    format: 'json',
    servers: 'context_servers',
    programs: ['zed'],
    http: byUrl,
  },
  windsurf: {
    ...MCP_SERVERS,
    name: 'Windsurf',
    file: inHome('.codeium', 'windsurf', 'mcp_config.json'),
    http: (serverUrl, headers) => ({ serverUrl, headers }),
  },
  cline: {
    ...MCP_SERVERS,
    name: 'Cline',
    file: clineFile,
    programs: ['cline'],
    stdio: (command, args) => ({ command, args, timeout: CALL_SECONDS }),
    http: (url, headers) => ({ type: 'streamableHttp', url, headers, timeout: CALL_SECONDS }),
  },
  qwen: {
    ...MCP_SERVERS,
    name: 'Qwen Code',
    file: inHome('.qwen', 'settings.json'),
    programs: ['qwen'],
    http: (httpUrl, headers) => ({ httpUrl, headers }),
    unattended: { trust: true },
  },
  'lm-studio': { ...MCP_SERVERS, name: 'LM Studio', file: inHome('.lmstudio', 'mcp.json'), http: byUrl },
  kiro: { ...MCP_SERVERS, name: 'Kiro', file: inHome('.kiro', 'settings', 'mcp.json'), http: byUrl },
} satisfies Readonly<Record<string, Agent>>;

export type AgentId = keyof typeof KNOWN;

/** The agents, by the id of their provider. */
export const AGENTS: Readonly<Record<AgentId, Agent>> = KNOWN;

export const AGENT_IDS = Object.keys(AGENTS) as AgentId[];

/** Whether an agent seems to be installed: its file, the folder of its file, or its program is there. */
export function isInstalled(agent: AgentId, places: Places): boolean {
  const { file, programs = [] } = AGENTS[agent];
  const own = file(places);
  if (existsSync(own) || (path.dirname(own) !== places.home && existsSync(path.dirname(own)))) return true;
  const names = programs.flatMap((name) => [name, `${name}.cmd`, `${name}.exe`]);
  return (places.env.PATH ?? '')
    .split(path.delimiter)
    .some((folder) => folder !== '' && names.some((name) => existsSync(path.join(folder, name))));
}

/** The entry for our server, in the format of the agent; null if it has none for this way to connect. */
export function entryFor(agent: AgentId, target: GatewayTarget, isUnattended = false): Entry | null {
  const { stdio = (command, args) => ({ command, args }), http, unattended } = AGENTS[agent];
  const entry =
    target.kind === 'stdio'
      ? stdio(target.command, target.args)
      : (http?.(target.url, { Authorization: `Bearer ${target.bearer}` }) ?? null);
  return entry && { ...entry, ...(isUnattended && unattended) };
}
