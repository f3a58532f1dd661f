import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { AGENT_IDS, AGENTS, type Agents, createAgents } from '../agents/agents.ts';
import type { AgentId, Reach } from '../agents/entry.ts';
import { httpReach, stdioReach } from '../agents/launch.ts';
import { changeText } from '../agents/show-change.ts';
import { ConfigError } from '../agents/text-edit.ts';
import { findRunningDesktop } from '../control/find-running-desktop.ts';
import { agentBearer } from '../gateway/agent-bearer.ts';
import { type Command, UsageError, type World } from './command.ts';
import { usualFolder } from './options.ts';

export const usage = `Usage: connect ${AGENT_IDS.join('|')} [--remove] [--yes] [--project NAME] [--http] [--folder DIR] [--store URL] [--local-apps] [--local-connectors]`;

const OPTIONS = {
  remove: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false, short: 'y' },
  http: { type: 'boolean', default: false },
  project: { type: 'string' },
  folder: { type: 'string' },
  store: { type: 'string' },
  'local-apps': { type: 'boolean' },
  'local-connectors': { type: 'boolean' },
} as const;

function parsed(words: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true });
    const [agent, ...more] = positionals;
    const id = AGENT_IDS.find((one) => one === agent);
    if (!id || more.length > 0) throw new Error();
    return { ...values, agent: id };
  } catch {
    throw new UsageError(usage);
  }
}

/** The address of the desktop that runs, for agents that shall not start one. */
async function reachRunning(
  world: World,
  folder: string,
  agent: AgentId,
  words: { project: string | undefined; bearer: string },
): Promise<Reach> {
  const running = await findRunningDesktop(folder, world);
  if (!running)
    throw new UsageError('--http needs a desktop that runs: start it with --port, so that it stays there.');
  return httpReach(agent, running.origin, words);
}

/** Asks the person at the terminal; without one, only `--yes` is a yes. */
async function isAgreed({ input, output, isTerminal, stopped }: World, yes: boolean): Promise<boolean> {
  if (yes) return true;
  if (!isTerminal) throw new UsageError('There is no terminal to ask in: add --yes to write the change.');
  const lines = createInterface({ input, output });
  try {
    return /^y(es)?$/i.test((await lines.question('Write this? [y/N] ', { signal: stopped })).trim());
  } finally {
    lines.close();
  }
}

async function change(world: World, agents: Agents, options: ReturnType<typeof parsed>, secret: string) {
  const { agent, remove, yes } = options;
  const preview = await agents.preview(agent, remove);
  if (preview.before === preview.after) {
    world.say(`${preview.file} ${remove ? 'holds nothing of ours' : 'is as it should be'}.`);
    return 0;
  }
  world.say(changeText(preview, secret));
  if (!(await isAgreed(world, yes))) {
    world.say('Nothing was written.');
    return 1;
  }
  await agents.apply(agent, remove, preview);
  const { name } = AGENTS[agent];
  world.say(remove ? `${name} is no longer connected.` : `${name} is connected. Restart it if it runs.`);
  return 0;
}

/** `connect AGENT`: writes into a coding agent's configuration how it reaches the apps here, or takes that out again. */
export const run: Command = async (world, words) => {
  const options = parsed(words);
  const { agent, project, http, 'local-apps': localApps, 'local-connectors': localConnectors } = options;
  // An agent has another environment than this terminal.
  const store = options.store ?? (world.env.SVC_STORE || undefined);
  const folder = options.folder === undefined ? usualFolder(world, 'desktop') : path.resolve(options.folder);
  const bearer = await agentBearer(folder, world.system);
  const agents = createAgents({
    places: { home: world.home, env: world.env },
    undoFile: path.join(folder, 'agents.json'),
    reach: () =>
      http
        ? reachRunning(world, folder, agent, { project, bearer })
        : stdioReach(agent, world.program, { folder, store, localApps, localConnectors, project }),
  });
  try {
    return await change(world, agents, options, bearer);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    world.warn(error.message);
    return 1;
  }
};
