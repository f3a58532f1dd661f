import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import type { AgentView } from '../wire/views.ts';
import { readConfig, writeConfig } from './config-file.ts';
import { type AgentId, entryFor, type Reach, SERVER } from './entry.ts';
import { putJson, readJson, removeJson } from './json-config.ts';
import { applyEdit, ConfigError, editBetween, undoOf } from './text-edit.ts';
import { putToml, readToml, removeToml } from './toml-config.ts';

/** Where the person's files are, as the environment says. */
export type Places = { home: string; env: Readonly<Record<string, string | undefined>> };

type Agent = { name: string; file(places: Places): string };

/** opencode reads either name; the one that is there counts. */
function opencodeFile({ home, env }: Places): string {
  const folder = path.join(env.XDG_CONFIG_HOME || path.join(home, '.config'), 'opencode');
  const [json = '', jsonc = ''] = ['opencode.json', 'opencode.jsonc'].map((name) => path.join(folder, name));
  return !existsSync(json) && existsSync(jsonc) ? jsonc : json;
}

/** The agents, and where each keeps the servers of a person. */
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

/** Where our entry stands. opencode has had two shapes: servers under `mcp`, and since its second version under `mcp.servers`. */
function jsonPath(agent: AgentId, text: string): string[] {
  if (agent !== 'opencode') return ['mcpServers', SERVER];
  const servers = readJson(text, ['mcp', 'servers']);
  const isMap =
    typeof servers === 'object' && servers !== null && !('type' in servers) && !('enabled' in servers);
  return isMap ? ['mcp', 'servers', SERVER] : ['mcp', SERVER];
}

const find = (agent: AgentId, text: string): unknown =>
  agent === 'codex' ? readToml(text, TOML_PATH) : readJson(text, jsonPath(agent, text));

const put = (agent: AgentId, text: string, reach: Reach): string =>
  agent === 'codex'
    ? putToml(text, TOML_PATH, entryFor(agent, reach))
    : putJson(text, jsonPath(agent, text), entryFor(agent, reach));

const remove = (agent: AgentId, text: string): string =>
  agent === 'codex' ? removeToml(text, TOML_PATH) : removeJson(text, jsonPath(agent, text));

/** What takes our last change of a file back, when the file is still as we left it. */
const Undo = z.object({
  file: z.string(),
  sha256: z.string(),
  edit: z.object({ offset: z.number(), length: z.number(), content: z.string() }),
  wasMissing: z.boolean(),
});
const Undos = z.record(z.string(), Undo);
type Undo = z.infer<typeof Undo>;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What would become of an agent's file. */
export type Preview = { file: string; before: string; after: string };

/** The configurations of coding agents on this machine, as far as they are about us. */
export type Agents = {
  list(): Promise<AgentView[]>;
  /** @throws ConfigError */
  preview(agent: AgentId, removing: boolean): Promise<Preview>;
  /** Writes what the preview showed: nothing, when the file is no longer as it was then. @throws ConfigError */
  apply(agent: AgentId, removing: boolean, shown?: Preview): Promise<AgentView>;
};

/** @param undoFile where changes are noted, to be taken back exactly @param reach how each agent comes to the gateway */
export function createAgents({
  places,
  undoFile,
  reach,
}: {
  places: Places;
  undoFile: string;
  reach(agent: AgentId): Reach | Promise<Reach>;
}): Agents {
  const fileOf = (agent: AgentId): string => AGENTS[agent].file(places);

  /** A note that cannot be read is none: our entry is then taken out as it stands. */
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

  /** The text a file shall have; null for no file. */
  async function wanted(agent: AgentId, text: string | null, removing: boolean): Promise<string | null> {
    if (!removing) return put(agent, text ?? '', await reach(agent));
    const undo = (await undos())[agent];
    if (text !== null && undo?.file === fileOf(agent) && undo.sha256 === sha256(text))
      return undo.wasMissing ? null : applyEdit(text, undo.edit);
    return text === null ? null : remove(agent, text);
  }

  /** Fills in which file a refusal is about. */
  async function about<T>(agent: AgentId, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw new ConfigError(`${fileOf(agent)} was left as it is. ${error.message}`, { cause: error });
    }
  }

  async function note(agent: AgentId, undo: Undo | null): Promise<void> {
    const read = await readConfig(undoFile);
    const { [agent]: _old, ...others } = await undos();
    const all = undo ? { ...others, [agent]: undo } : others;
    await writeConfig(read, `${JSON.stringify(all, null, 2)}\n`);
  }

  /** What brings back the text from before we first came: connecting again goes on from there. */
  async function undoFor(agent: AgentId, before: string | null, after: string): Promise<Undo> {
    const earlier = (await undos())[agent];
    const isOurs = earlier?.file === fileOf(agent) && before !== null && earlier.sha256 === sha256(before);
    const original = isOurs ? applyEdit(before, earlier.edit) : (before ?? '');
    const wasMissing = isOurs ? earlier.wasMissing : before === null;
    const edit = undoOf(original, editBetween(original, after));
    return { file: fileOf(agent), sha256: sha256(after), edit, wasMissing };
  }

  return {
    list: () => Promise.all(AGENT_IDS.map(viewOf)),
    preview: (agent, removing) =>
      about(agent, async () => {
        const { text } = await readConfig(fileOf(agent));
        const after = await wanted(agent, text, removing);
        return { file: fileOf(agent), before: text ?? '', after: after ?? '' };
      }),
    apply: (agent, removing, shown) =>
      about(agent, async () => {
        const read = await readConfig(fileOf(agent));
        if (shown && shown.before !== (read.text ?? ''))
          throw new ConfigError('It was changed meanwhile. Look at the change again.');
        const after = await wanted(agent, read.text, removing);
        if (after === read.text) return viewOf(agent);
        // Noted first: what is noted of a change that did not come about fits no file.
        if (!removing) await note(agent, await undoFor(agent, read.text, after ?? ''));
        await writeConfig(read, after);
        if (removing) await note(agent, null);
        return viewOf(agent);
      }),
  };
}
