import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import type { AgentView } from '../wire/views.ts';
import { type ConfigFile, readConfig, writeConfig } from './config-file.ts';
import { type AgentId, entryFor, type GatewayTarget, SERVER } from './entry.ts';
import { putJson, readJson, removeJson } from './json-config.ts';
import { applyEdit, ConfigError, editBetween, undoOf } from './text-edit.ts';
import { putToml, readToml, removeToml } from './toml-config.ts';

/** The user's home folder and environment, which locate configuration files. */
export type Places = { home: string; env: Readonly<Record<string, string | undefined>> };

type Agent = { name: string; file(places: Places): string };

/** opencode reads either name. The existing file is used. */
function opencodeFile({ home, env }: Places): string {
  const folder = path.join(env.XDG_CONFIG_HOME || path.join(home, '.config'), 'opencode');
  const [json = '', jsonc = ''] = ['opencode.json', 'opencode.jsonc'].map((name) => path.join(folder, name));
  return !existsSync(json) && existsSync(jsonc) ? jsonc : json;
}

/** The agents, and the file in which each configures the user's MCP servers. */
export const AGENTS: Readonly<Record<AgentId, Agent>> = {
  'claude-code': {
    name: 'Claude Code',
    file: ({ home, env }) => path.join(env.CLAUDE_CONFIG_DIR || home, '.claude.json'),
  },
  codex: {
    name: 'Codex',
    file: ({ home, env }) => path.join(env.CODEX_HOME || path.join(home, '.codex'), 'config.toml'),
  },
  'gemini-cli': { name: 'Gemini CLI', file: ({ home }) => path.join(home, '.gemini', 'settings.json') },
  opencode: { name: 'opencode', file: opencodeFile },
  cursor: { name: 'Cursor', file: ({ home }) => path.join(home, '.cursor', 'mcp.json') },
};

export const AGENT_IDS = Object.keys(AGENTS) as AgentId[];

const TOML_PATH = ['mcp_servers', SERVER] as const;

/** The path of our entry. opencode keeps servers under `mcp`, and since version 2 under `mcp.servers`. */
function jsonPath(agent: AgentId, text: string): string[] {
  if (agent !== 'opencode') return ['mcpServers', SERVER];
  const servers = readJson(text, ['mcp', 'servers']);
  const isMap =
    typeof servers === 'object' && servers !== null && !('type' in servers) && !('enabled' in servers);
  return isMap ? ['mcp', 'servers', SERVER] : ['mcp', SERVER];
}

const find = (agent: AgentId, text: string): unknown =>
  agent === 'codex' ? readToml(text, TOML_PATH) : readJson(text, jsonPath(agent, text));

const put = (agent: AgentId, text: string, target: GatewayTarget): string =>
  agent === 'codex'
    ? putToml(text, TOML_PATH, entryFor(agent, target))
    : putJson(text, jsonPath(agent, text), entryFor(agent, target));

const remove = (agent: AgentId, text: string): string =>
  agent === 'codex' ? removeToml(text, TOML_PATH) : removeJson(text, jsonPath(agent, text));

/** Reverts our last change of a file that has not changed since. */
const Undo = z.object({
  file: z.string(),
  sha256: z.string(),
  edit: z.object({ offset: z.number(), length: z.number(), content: z.string() }),
  wasMissing: z.boolean(),
});
const Undos = z.record(z.string(), Undo);
type Undo = z.infer<typeof Undo>;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The content of an agent's file before and after a change. */
export type Preview = {
  file: string;
  before: string;
  after: string;
  /** Whether other users can read the file now, and no longer then, because it gets a bearer. */
  becomesPrivate: boolean;
};

/** Whether other users can read or write a file. */
const isShared = ({ mode }: ConfigFile): boolean => process.platform !== 'win32' && (mode & 0o077) !== 0;

/** Our entries in the configurations of coding agents on this computer. */
export type Agents = {
  list(): Promise<AgentView[]>;
  /** @throws ConfigError */
  preview(agent: AgentId, removing: boolean): Promise<Preview>;
  /** Writes the previewed change, unless the file has changed since. @throws ConfigError */
  apply(agent: AgentId, removing: boolean, shown?: Preview): Promise<AgentView>;
};

/** @param undoFile stores how to revert changes exactly @param target how each agent connects to the gateway */
export function createAgents({
  places,
  undoFile,
  target,
}: {
  places: Places;
  undoFile: string;
  target(agent: AgentId): GatewayTarget | Promise<GatewayTarget>;
}): Agents {
  const fileOf = (agent: AgentId): string => AGENTS[agent].file(places);

  /** An unreadable file counts as empty: our entry is then removed instead of reverted. */
  async function undos(): Promise<Record<string, Undo>> {
    const { text } = await readConfig(undoFile);
    try {
      return Undos.parse(JSON.parse(text ?? '{}'));
    } catch {
      return {};
    }
  }

  async function viewOf(agent: AgentId): Promise<AgentView> {
    const view = { id: agent, name: AGENTS[agent].name, file: fileOf(agent) };
    try {
      const { text } = await readConfig(view.file);
      return { ...view, state: find(agent, text ?? '') === undefined ? 'not-connected' : 'connected' };
    } catch (error) {
      if (error instanceof ConfigError) return { ...view, state: 'unreadable' };
      throw error;
    }
  }

  /** The new text of a file; null to delete it. */
  async function textAfter(agent: AgentId, text: string | null, removing: boolean): Promise<string | null> {
    if (!removing) return put(agent, text ?? '', await target(agent));
    const undo = (await undos())[agent];
    if (text !== null && undo?.file === fileOf(agent) && undo.sha256 === sha256(text))
      return undo.wasMissing ? null : applyEdit(text, undo.edit);
    return text === null ? null : remove(agent, text);
  }

  /** Whether the entry contains the bearer: only one that the agent calls by HTTP does. */
  const getsSecret = async (agent: AgentId, removing: boolean): Promise<boolean> =>
    !removing && (await target(agent)).kind === 'http';

  /** Adds the file to the message of a ConfigError. */
  async function withFileName<T>(agent: AgentId, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw new ConfigError(`${fileOf(agent)} was not changed. ${error.message}`, { cause: error });
    }
  }

  async function saveUndo(agent: AgentId, undo: Undo | null): Promise<void> {
    const read = await readConfig(undoFile);
    const { [agent]: _old, ...others } = await undos();
    const all = undo ? { ...others, [agent]: undo } : others;
    await writeConfig(read, `${JSON.stringify(all, null, 2)}\n`);
  }

  /** The edit that restores the text from before our first change, also after connecting again. */
  async function undoFor(agent: AgentId, before: string | null, after: string): Promise<Undo> {
    const earlier = (await undos())[agent];
    const isOurs = earlier?.file === fileOf(agent) && before !== null && earlier.sha256 === sha256(before);
    const original = isOurs ? applyEdit(before, earlier.edit) : (before ?? '');
    const wasMissing = isOurs ? earlier.wasMissing : before === null;
    const edit = undoOf(original, editBetween(original, after));
    return { file: fileOf(agent), sha256: sha256(after), edit, wasMissing };
  }

  async function change(agent: AgentId, removing: boolean, read: ConfigFile): Promise<void> {
    const after = await textAfter(agent, read.text, removing);
    const hasSecret = await getsSecret(agent, removing);
    if (after === read.text && !(hasSecret && isShared(read))) return;
    // Saved first: the undo entry of a change that is not written matches no file.
    if (!removing) await saveUndo(agent, await undoFor(agent, read.text, after ?? ''));
    await writeConfig(read, after, { hasSecret });
    if (removing) await saveUndo(agent, null);
  }

  return {
    list: () => Promise.all(AGENT_IDS.map(viewOf)),
    preview: (agent, removing) =>
      withFileName(agent, async () => {
        const read = await readConfig(fileOf(agent));
        const after = await textAfter(agent, read.text, removing);
        const becomesPrivate = isShared(read) && (await getsSecret(agent, removing));
        return { file: fileOf(agent), before: read.text ?? '', after: after ?? '', becomesPrivate };
      }),
    apply: (agent, removing, shown) =>
      withFileName(agent, async () => {
        const read = await readConfig(fileOf(agent));
        if (shown && shown.before !== (read.text ?? ''))
          throw new ConfigError('The file has changed since the preview. Review the change again.');
        await change(agent, removing, read);
        return viewOf(agent);
      }),
  };
}
