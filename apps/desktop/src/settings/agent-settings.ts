import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { System } from '@svc/runtime';
import { withLock, writeDurable } from '@svc/runtime/parts';
import { z } from 'zod';
import { AGENT_IDS } from '../agents/agents.ts';
import type { AgentId } from '../agents/entry.ts';
import type { AgentChoices, AgentSettingsView } from '../wire/views.ts';

const Tools = z.enum(['auto', 'all', 'search']);

/** What holds for all agents, and what is set for one. */
export const ChoicesForAll = z.strictObject({ approvals: z.enum(['agent', 'page']), tools: Tools });
export const OwnChoices = z.strictObject({
  // Never the looser place: what an agent is called, it says itself.
  approvals: z.literal('page').nullable(),
  tools: Tools.nullable(),
});
export type OwnChoices = z.infer<typeof OwnChoices>;

const Kept = z.strictObject({
  version: z.literal(1),
  all: ChoicesForAll,
  agents: z.partialRecord(z.enum(AGENT_IDS), OwnChoices),
});
type Kept = z.infer<typeof Kept>;

/** The defaults, and what holds while the settings cannot be read. */
const FIRST: Kept = { version: 1, all: { approvals: 'agent', tools: 'auto' }, agents: {} };
const STRICTEST: Kept = { ...FIRST, all: { approvals: 'page', tools: 'auto' } };

/**
 * What the person set for agents. It is read again at each question, and never believed in part: while the file cannot be read,
 * all that is asked is asked on the page.
 */
export type AgentSettings = {
  show(): AgentSettingsView;
  /** Sets what holds for all; where the file could not be read, it is written again. */
  saveForAll(choices: AgentChoices): Promise<void>;
  saveFor(agent: AgentId, own: OwnChoices): Promise<void>;
  /**
   * What holds for an agent: of all that it may be, the strictest.
   * @param names of agents, as its address and it itself say; those that nobody knows change nothing
   */
  choicesFor(names: readonly string[]): AgentChoices;
  /** @returns what ends the listening */
  listen(changed: () => void): () => void;
};

type Found = { kept: Kept; fault: string | null };

function read(file: string): Found {
  try {
    return { kept: Kept.parse(JSON.parse(readFileSync(file, 'utf8'))), fault: null };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { kept: FIRST, fault: null };
    return {
      kept: STRICTEST,
      fault: `What was set for agents, in ${file}, cannot be read. Until you choose again, every approval is asked on this page.`,
    };
  }
}

/** How a run was started, which counts for that run; it loosens nothing while nobody can tell what was set. */
const approvalsOf = (
  { kept, fault }: Found,
  started: AgentChoices['approvals'] | null,
  asked: OwnChoices[],
) => {
  if (fault !== null) return 'page';
  return started ?? (asked.some(({ approvals }) => approvals === 'page') ? 'page' : kept.all.approvals);
};

/**
 * Opens what is set for the agents of a folder.
 * @param started where approvals are asked in this run, whatever is set; null when the start said nothing of it
 */
export function openAgentSettings(
  system: Pick<System, 'sleep' | 'randomBytes'>,
  folder: string,
  started: AgentChoices['approvals'] | null,
): AgentSettings {
  const file = join(folder, 'agent-settings.json');
  const listeners = new Set<() => void>();

  async function change(changed: (kept: Kept) => Kept): Promise<void> {
    await withLock(system, `${file}.lock`, async () => {
      const next = Kept.parse(changed(read(file).kept));
      await writeDurable(file, Buffer.from(`${JSON.stringify(next, null, 2)}\n`));
    });
    for (const listener of listeners) listener();
  }

  return {
    show() {
      const { kept, fault } = read(file);
      return { all: kept.all, agents: kept.agents, started, fault };
    },
    saveForAll: (all) => change((kept) => ({ ...kept, all })),
    saveFor: (agent, own) => change((kept) => ({ ...kept, agents: { ...kept.agents, [agent]: own } })),
    choicesFor(names) {
      const found = read(file);
      const { all, agents } = found.kept;
      const own = Object.entries(agents).flatMap(([id, choices]) => (names.includes(id) ? [choices] : []));
      const tools = own.find((one) => one.tools !== null)?.tools ?? all.tools;
      return { approvals: approvalsOf(found, started, own), tools };
    },
    listen(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
}
