import { createHash } from 'node:crypto';
import { parse, stringify } from 'smol-toml';
import * as z from 'zod';
import type { AgentView } from '../wire/views.ts';
import { type ConfigFile, readConfig, writeConfig } from './config-file.ts';
import {
  AGENT_IDS,
  AGENTS,
  type AgentId,
  entryFor,
  type GatewayTarget,
  isInstalled,
  type Places,
  SERVER,
} from './entry.ts';
import { putJson, readJson, removeJson } from './json-config.ts';
import {
  applyEdit,
  ConfigError,
  editBetween,
  entryAt,
  lineEndOf,
  type Path,
  requireOnly,
  type Table,
  undoOf,
} from './text-edit.ts';
import { putYaml, readYaml, removeYaml } from './yaml-config.ts';

function tableIn(text: string): Table {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' });
  } catch {
    throw new ConfigError('It is not valid TOML. Fix it first.');
  }
}

/** The table of a server; undefined if there is none. */
const readToml = (text: string, path: Path): unknown => entryAt(tableIn(text), path);

/** The header of any table, and that of our table or its subtables. */
const HEADER = /^[ \t]*\[/;
const headerOf = (group: string, name: string): RegExp =>
  new RegExp(`^[ \\t]*\\[[ \\t]*${group}[ \\t]*\\.[ \\t]*(?:${name}|"${name}"|'${name}')[ \\t]*[.\\]]`);

/** The line range of our table. Comments directly above the next table belong to that one. */
function linesOf(lines: readonly string[], header: RegExp): [number, number] | null {
  const start = lines.findIndex((line) => header.test(line));
  if (start < 0) return null;
  let end = start + 1;
  while (end < lines.length && (!HEADER.test(lines[end] ?? '') || header.test(lines[end] ?? ''))) end += 1;
  while (end > start + 1 && /^[ \t]*(?:#.*)?\r?\n?$/.test(lines[end - 1] ?? '')) end -= 1;
  return [start, end];
}

/** The lines with multi-line strings blanked out, because they may contain lines that look like headers. */
const withoutMultilineStrings = (text: string): string[] =>
  linesWithEnds(text.replaceAll(/("""|''')[\s\S]*?\1/g, (long) => long.replaceAll(/[^\n]/g, ' ')));

const linesWithEnds = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** The content with ordinary prototypes: tables of the parser have none. */
const plainTableIn = (text: string): Table =>
  JSON.parse(JSON.stringify(tableIn(text), (_key, item) => (typeof item === 'bigint' ? `${item}n` : item)));

/**
 * Sets the table of a server and leaves every other line as it is.
 * @throws ConfigError if the text is not TOML, or if the table is not under its own header
 */
function putToml(text: string, path: Path, value: Table): string {
  const [group, name = ''] = path;
  const eol = lineEndOf(text);
  const table = stringify({ [group]: { [name]: value } })
    .trim()
    .replaceAll('\n', eol);
  const lines = linesWithEnds(text);
  const range =
    readToml(text, path) === undefined ? null : linesOf(withoutMultilineStrings(text), headerOf(group, name));
  if (range) {
    const after = [...lines.slice(0, range[0]), `${table}${eol}`, ...lines.slice(range[1])].join('');
    return requireOnly(plainTableIn, [text, after], path, value);
  }
  const gap = text === '' ? '' : text.endsWith('\n') ? eol : eol + eol;
  return requireOnly(plainTableIn, [text, `${text}${gap}${table}${eol}`], path, value);
}

/**
 * Removes the table of a server, with the empty line above it.
 * @throws ConfigError for the same reasons as `putToml`
 */
function removeToml(text: string, path: Path): string {
  if (readToml(text, path) === undefined) return text;
  const [group, name = ''] = path;
  const header = headerOf(group, name);
  let lines = linesWithEnds(text);
  const find = () => linesOf(withoutMultilineStrings(lines.join('')), header);
  for (let range = find(); range; range = find()) {
    const isSpaced = range[0] > 0 && (lines[range[0] - 1] ?? '').trim() === '';
    lines = [...lines.slice(0, range[0] - (isSpaced ? 1 : 0)), ...lines.slice(range[1])];
  }
  return requireOnly(plainTableIn, [text, lines.join('')], path, undefined);
}

/** The path of our entry. opencode keeps servers under `mcp`, and since version 2 under `mcp.servers`. */
function pathOf(agent: AgentId, text: string): Path {
  const { servers: group } = AGENTS[agent];
  if (agent !== 'opencode') return [group, SERVER];
  const servers = readJson(text, [group, 'servers']);
  const isServers =
    typeof servers === 'object' && servers !== null && !('type' in servers) && !('enabled' in servers);
  return isServers ? [group, 'servers', SERVER] : [group, SERVER];
}

/** How an entry is read and changed, by the format of its file. */
const FORMATS = {
  json: { read: readJson, put: putJson, remove: removeJson },
  toml: { read: readToml, put: putToml, remove: removeToml },
  yaml: { read: readYaml, put: putYaml, remove: removeYaml },
};

const formatOf = (agent: AgentId) => FORMATS[AGENTS[agent].format];

const entryIn = (agent: AgentId, text: string): unknown => formatOf(agent).read(text, pathOf(agent, text));

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

/** @param undoFile stores how to revert changes exactly @param target how each agent connects to the gateway */
export function createAgents({
  places,
  undoFile,
  target,
  isUnattended = false,
}: {
  places: Places;
  undoFile: string;
  target(agent: AgentId): GatewayTarget | Promise<GatewayTarget>;
  /** Whether new entries make the agent ask nothing itself. */
  isUnattended?: boolean;
}) {
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
    const view = {
      ...{ id: agent, name: AGENTS[agent].name, file: fileOf(agent) },
      installed: isInstalled(agent, places),
    };
    try {
      const { text } = await readConfig(view.file);
      return {
        ...view,
        state: entryIn(agent, text ?? '') === undefined ? 'not-connected' : 'connected',
      };
    } catch (error) {
      if (error instanceof ConfigError) return { ...view, state: 'unreadable' };
      throw error;
    }
  }

  /** The new text of a file; null to delete it. */
  async function textAfter(agent: AgentId, text: string | null, removing: boolean): Promise<string | null> {
    if (!removing) {
      const entry = entryFor(agent, await target(agent), isUnattended);
      if (entry) return formatOf(agent).put(text ?? '', pathOf(agent, text ?? ''), entry);
      throw new ConfigError(`${AGENTS[agent].name} starts programs only. Connect without --http.`);
    }
    const undo = (await undos())[agent];
    if (text !== null && undo?.file === fileOf(agent) && undo.sha256 === sha256(text))
      return undo.wasMissing ? null : applyEdit(text, undo.edit);
    return text === null ? null : formatOf(agent).remove(text, pathOf(agent, text));
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

  async function renew(agent: AgentId, earlier: readonly string[], now: { origin: string; bearer: string }) {
    const read = await readConfig(fileOf(agent));
    const before = read.text ?? '';
    const old = earlier.find((bearer) => before.includes(bearer));
    if (old === undefined) return;
    const entry = JSON.stringify(entryIn(agent, before) ?? null);
    const [address] = /http:\/\/[^"?/]+\/mcp/.exec(entry) ?? [];
    const renewed = before.replaceAll(old, now.bearer);
    const after = address === undefined ? renewed : renewed.replaceAll(`${address}?`, `${now.origin}/mcp?`);
    await saveUndo(agent, await undoFor(agent, before, after));
    await writeConfig(read, after, { hasSecret: true });
  }

  return {
    /**
     * Writes the address and the bearer of a desktop that has started to the entries that contain one of its earlier bearers.
     * @returns why an entry was not changed, for each that was not
     */
    async renew(earlier: readonly string[], now: { origin: string; bearer: string }): Promise<ConfigError[]> {
      const faults: ConfigError[] = [];
      for (const agent of earlier.length === 0 ? [] : AGENT_IDS) {
        await withFileName(agent, () => renew(agent, earlier, now)).catch((error) => {
          if (!(error instanceof ConfigError)) throw error;
          faults.push(error);
        });
      }
      return faults;
    },
    list: (): Promise<AgentView[]> => Promise.all(AGENT_IDS.map(viewOf)),
    /** @throws ConfigError */
    preview: (agent: AgentId, removing: boolean): Promise<Preview> =>
      withFileName(agent, async () => {
        const read = await readConfig(fileOf(agent));
        const after = await textAfter(agent, read.text, removing);
        const becomesPrivate = isShared(read) && (await getsSecret(agent, removing));
        return { file: fileOf(agent), before: read.text ?? '', after: after ?? '', becomesPrivate };
      }),
    /** Writes the previewed change, unless the file has changed since. @throws ConfigError */
    apply: (agent: AgentId, removing: boolean, shown?: Preview): Promise<AgentView> =>
      withFileName(agent, async () => {
        const read = await readConfig(fileOf(agent));
        if (shown && shown.before !== (read.text ?? ''))
          throw new ConfigError('The file has changed since the preview. Review the change again.');
        await change(agent, removing, read);
        return viewOf(agent);
      }),
  };
}

/** Our entries in the configurations of coding agents on this computer. */
export type Agents = ReturnType<typeof createAgents>;
