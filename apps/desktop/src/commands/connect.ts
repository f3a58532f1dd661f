import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { stringify as toToml } from 'smol-toml';
import { stringify as toYaml } from 'yaml';
import { type Agents, createAgents, type Preview } from '../agents/agents.ts';
import { AGENT_IDS, AGENTS, type AgentId, entryFor, type GatewayTarget, SERVER } from '../agents/entry.ts';
import { httpTarget, stdioTarget } from '../agents/launch.ts';
import { ConfigError } from '../agents/text-edit.ts';
import { findRunningDesktop } from '../control/find-running-desktop.ts';
import { agentBearer } from '../gateway/agent-bearer.ts';
import { type Command, type CommandContext, UsageError } from './command.ts';
import { defaultFolder } from './options.ts';

/** Lines around a change. */
const AROUND = 3;

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/));

/** Control characters that a terminal would interpret. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * Formats a change as a diff with context lines. Each change is in one place.
 * @param secret text to mask
 */
export function changeText({ file, before, after }: Preview, secret?: string): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const lines = [
    ...old.slice(Math.max(0, start - AROUND), start).map((line) => `  ${line}`),
    ...old.slice(start, old.length - end).map((line) => `- ${line}`),
    ...now.slice(start, now.length - end).map((line) => `+ ${line}`),
    ...old.slice(old.length - end, old.length - end + AROUND).map((line) => `  ${line}`),
  ];
  const text = `${file}\n${lines.map((line) => line.replaceAll(CONTROL, '?')).join('\n')}\n`;
  return secret ? text.replaceAll(secret, '…') : text;
}

export const usage = `Usage: svc connect [AGENT] [--remove] [--print] [--unattended] [--yes] [--project NAME] [--bundle NAME] [--http] [--folder DIR] [--store URL] [--local-apps] [--local-connectors]
Agents: ${AGENT_IDS.join(', ')}`;

const OPTIONS = {
  remove: { type: 'boolean', default: false },
  print: { type: 'boolean', default: false },
  unattended: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false, short: 'y' },
  http: { type: 'boolean', default: false },
  project: { type: 'string' },
  bundle: { type: 'string' },
  folder: { type: 'string' },
  store: { type: 'string' },
  'local-apps': { type: 'boolean' },
  'local-connectors': { type: 'boolean' },
} as const;

function parsed(words: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true });
    const [agent, ...more] = positionals;
    const id = AGENT_IDS.find((known) => known === agent) ?? null;
    if ((id === null && agent !== undefined) || more.length > 0) throw new Error();
    return { ...values, agent: id };
  } catch {
    throw new UsageError(usage);
  }
}

/** The running desktop, for agents that must not start one. */
async function targetOfRunning(
  context: CommandContext,
  folder: string,
  agent: AgentId | null,
  words: Parameters<typeof httpTarget>[2],
): Promise<GatewayTarget> {
  const running = await findRunningDesktop(folder, context);
  if (!running) throw new UsageError('--http needs a running desktop: start one with "svc desktop".');
  return httpTarget(agent, running.origin, words);
}

/** Asks for confirmation in the terminal. */
export async function isAgreed(
  { input, output, stopped }: Pick<CommandContext, 'input' | 'output' | 'stopped'>,
  question: string,
): Promise<boolean> {
  const lines = createInterface({ input, output });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `, { signal: stopped })).trim());
  } finally {
    lines.close();
  }
}

const STATES = { connected: 'connected', 'not-connected': 'not connected', unreadable: 'file is unreadable' };

/** Lists the agents of this computer, and those that are connected. */
async function showAll({ say }: CommandContext, agents: Agents): Promise<number> {
  const all = await agents.list();
  const here = all.filter(({ installed, state }) => installed || state !== 'not-connected');
  const width = Math.max(0, ...here.map(({ id }) => id.length));
  for (const { id, state, file } of here) say(`${id.padEnd(width)}  ${STATES[state]}  ${file}`);
  const others = all.filter((one) => !here.includes(one)).map(({ id }) => id);
  if (here.length === 0) say('No agent was found on this computer.');
  say(`Connect one with "svc connect AGENT". Not found here: ${others.join(', ')}.`);
  say('For any other program, "svc connect --print" shows what to add to its configuration.');
  return 0;
}

/** Shows the entry without writing it; for an unknown agent, in the form that most programs read. */
function print(
  { say }: CommandContext,
  target: GatewayTarget,
  { agent, unattended }: ReturnType<typeof parsed>,
): number {
  const entry = agent === null ? entryFor('cursor', target) : entryFor(agent, target, unattended);
  if (entry === null) throw new ConfigError('It starts programs only. Connect without --http.');
  if (agent === null) {
    say(JSON.stringify({ mcpServers: { [SERVER]: entry } }, null, 2));
    return 0;
  }
  const { format, servers } = AGENTS[agent];
  const whole = { [servers]: { [SERVER]: entry } };
  say(
    { json: () => JSON.stringify(whole, null, 2), toml: () => toToml(whole), yaml: () => toYaml(whole) }
      [format]()
      .trim(),
  );
  return 0;
}

async function change(
  context: CommandContext,
  agents: Agents,
  options: ReturnType<typeof parsed> & { agent: AgentId },
  secret: string,
) {
  const { agent, remove, yes } = options;
  const preview = await agents.preview(agent, remove);
  if (preview.before === preview.after && !preview.becomesPrivate) {
    context.say(`${preview.file} ${remove ? 'has no svc entry' : 'is already up to date'}.`);
    return 0;
  }
  if (preview.before !== preview.after) context.say(changeText(preview, secret));
  if (preview.becomesPrivate)
    context.say(`Only you can read ${preview.file} then (mode 0600): it contains a bearer.`);
  if (!yes && !context.isTerminal)
    throw new UsageError('There is no terminal to ask for confirmation. Add --yes to write the change.');
  if (!yes && !(await isAgreed(context, 'Write this change?'))) {
    context.say('Nothing was written.');
    return 1;
  }
  await agents.apply(agent, remove, preview);
  const { name } = AGENTS[agent];
  context.say(
    remove ? `${name} is no longer connected.` : `${name} is connected. Restart it if it is running.`,
  );
  return 0;
}

/** `connect AGENT`: adds svc to a coding agent's configuration, or removes it. Without an agent, it lists those of this computer. */
export const run: Command = async (context, words) => {
  const options = parsed(words);
  const {
    agent,
    project,
    bundle,
    http,
    'local-apps': localApps,
    'local-connectors': localConnectors,
  } = options;
  // The agent does not have the environment of this terminal.
  const store = options.store ?? (context.env.SVC_STORE || undefined);
  const folder =
    options.folder === undefined ? defaultFolder(context, 'desktop') : path.resolve(options.folder);
  const bearer = http ? await agentBearer(folder) : '';
  const { home, env, platform } = context;
  const target = () =>
    http
      ? targetOfRunning(context, folder, agent, { project, bundle, bearer })
      : stdioTarget(agent, context.program, { folder, store, localApps, localConnectors, project, bundle });
  const agents = createAgents({
    places: { home, env, platform },
    undoFile: path.join(folder, 'agents.json'),
    target,
    isUnattended: options.unattended,
  });
  try {
    if (options.print) {
      const shown = await target();
      // A terminal may be recorded: the entry names the file of the bearer.
      const masked = { ...shown, bearer: `<the content of ${path.join(folder, 'agent-bearer')}>` };
      return print(context, shown.kind === 'http' ? masked : shown, options);
    }
    if (agent === null) return await showAll(context, agents);
    return await change(context, agents, { ...options, agent }, bearer);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    context.warn(error.message);
    return 1;
  }
};
