import { join } from 'node:path';
import type { System } from '@svc/runtime';
import { z } from 'zod';
import type { AgentId } from '../agents/entry.ts';
import { AGENT_IDS } from '../agents/entry.ts';
import { Bundle, MAX_BUNDLES } from './bundles.ts';
import { keptFile } from './kept-file.ts';

/** From this number of tools, agents search instead of listing them, unless the user sets another one. */
const DEFAULT_SEARCH_FROM = 60;

const Tools = z.enum(['auto', 'all', 'search']);

/** Where agents ask for approval, and whether tools are listed or searched; `auto` searches from a number on. */
export const ChoicesForAll = z.strictObject({
  approvals: z.enum(['agent', 'page']),
  tools: Tools,
  searchFrom: z.number().int().min(1).max(1_000).default(DEFAULT_SEARCH_FROM),
});
export type AgentChoices = z.infer<typeof ChoicesForAll>;
export const OwnChoices = z.strictObject({
  // Only the stricter value, because agents report their own names.
  approvals: z.literal('page').nullable(),
  tools: Tools.nullable(),
});
export type OwnChoices = z.infer<typeof OwnChoices>;

/** A tool that an agent may call in a project without a question: one that takes no files. */
export const PreApproved = z.strictObject({
  agent: z.enum(AGENT_IDS),
  project: z.string(),
  appId: z.string(),
  tool: z.string(),
});
export type PreApproval = z.infer<typeof PreApproved>;

/** Most tools that are allowed without asking. */
const MAX_PRE_APPROVED = 1_000;

const Kept = z.strictObject({
  version: z.literal(1),
  all: ChoicesForAll,
  /** `key`: what the user approved, as `preApprovalKey` returns it. */
  preApproved: z
    .array(
      z.strictObject({
        ...PreApproved.shape,
        key: z.string(),
        since: z.exactOptional(z.string()),
        usedAt: z.exactOptional(z.string()),
      }),
    )
    .max(MAX_PRE_APPROVED)
    .default([]),
  /** Whether the user is asked about updates that change what agents read. */
  askAboutTools: z.boolean().default(false),
  /** Tools that the user switched off for an agent in a project. */
  switchedOff: z.array(PreApproved).max(MAX_PRE_APPROVED).default([]),
  agents: z.partialRecord(z.enum(AGENT_IDS), OwnChoices),
  bundles: z.array(Bundle).max(MAX_BUNDLES).default([]),
});
type Kept = z.infer<typeof Kept>;

/** The defaults, and the values while the settings cannot be read. */
const FIRST: Kept = {
  version: 1,
  all: { approvals: 'agent', tools: 'auto', searchFrom: DEFAULT_SEARCH_FROM },
  askAboutTools: false,
  preApproved: [],
  switchedOff: [],
  agents: {},
  bundles: [],
};
const STRICTEST: Kept = { ...FIRST, askAboutTools: true, all: { ...FIRST.all, approvals: 'page' } };

type ReadResult = { kept: Kept; fault: string | null };

const isSame = (one: PreApproval, other: PreApproval): boolean =>
  one.agent === other.agent &&
  one.project === other.project &&
  one.appId === other.appId &&
  one.tool === other.tool;

/** Where to ask for approvals. The start option takes precedence, but never while the settings cannot be read. */
const approvalsOf = (
  { kept, fault }: ReadResult,
  started: AgentChoices['approvals'] | null,
  own: OwnChoices[],
) => {
  if (fault !== null) return 'page';
  return started ?? (own.some(({ approvals }) => approvals === 'page') ? 'page' : kept.all.approvals);
};

/**
 * Opens the agent settings of a folder.
 * @param started where approvals are asked in this run, whatever the settings; null without a start option
 */
export function openAgentSettings(
  system: Pick<System, 'now' | 'sleep' | 'randomBytes'>,
  folder: string,
  started: AgentChoices['approvals'] | null,
) {
  const file = join(folder, 'agent-settings.json');
  const listeners = new Set<() => void>();

  const stored = keptFile(system, file, { schema: Kept, first: FIRST, words: 'The agent settings' });
  function read(): ReadResult {
    try {
      return { kept: stored.read(), fault: null };
    } catch {
      const fault = `The agent settings in ${file} cannot be read. Until you reset them, every approval is asked on this page.`;
      return { kept: STRICTEST, fault };
    }
  }

  async function change(changed: (kept: Kept) => Kept): Promise<void> {
    await stored.change(changed, () => read().kept);
    for (const listener of listeners) listener();
  }

  const time = () => new Date(system.now()).toISOString();
  /** Writes when it was used, at most once a minute: agents may call a tool many times a second. */
  function recordUse(isUsed: (one: Kept['preApproved'][number]) => boolean): void {
    const recent = new Date(system.now() - 60_000).toISOString();
    if (!read().kept.preApproved.some((one) => isUsed(one) && (one.usedAt ?? '') < recent)) return;
    const used = (one: Kept['preApproved'][number]) => (isUsed(one) ? { ...one, usedAt: time() } : one);
    // A use that is not written is only missing in the list.
    stored
      .change(
        (kept) => ({ ...kept, preApproved: kept.preApproved.map(used) }),
        () => read().kept,
      )
      .catch(() => undefined);
  }

  return {
    /**
     * `started`: where approvals are asked in this run, from a start option; null if the settings apply. `fault`: why they cannot be read;
     * all approvals are then asked on the page.
     */
    show() {
      const { kept, fault } = read();
      return { all: kept.all, agents: kept.agents, askAboutTools: kept.askAboutTools, started, fault };
    },
    /** Saves the settings for all agents. An unreadable file is replaced. */
    saveForAll: (all: AgentChoices) => change((kept) => ({ ...kept, all })),
    /** Whether the user is asked about updates that change what agents read of tools. */
    askAboutTools: () => read().kept.askAboutTools,
    saveAskAboutTools: (askAboutTools: boolean) => change((kept) => ({ ...kept, askAboutTools })),
    saveFor: (agent: AgentId, own: OwnChoices) =>
      change((kept) => ({ ...kept, agents: { ...kept.agents, [agent]: own } })),
    /**
     * The settings for an agent. If it may be one of several, the strictest apply.
     * @param names of the agent, from its URL and as it reports; unknown names have no effect
     */
    choicesFor(names: readonly string[]): AgentChoices {
      const found = read();
      const { all, agents } = found.kept;
      const own = Object.entries(agents).flatMap(([id, choices]) => (names.includes(id) ? [choices] : []));
      const tools = own.find(({ tools: ownTools }) => ownTools !== null)?.tools ?? all.tools;
      return { approvals: approvalsOf(found, started, own), tools, searchFrom: all.searchFrom };
    },
    /** Allows a tool without asking, as it is now. @param key of `preApprovalKey` */
    preApprove: (tool: PreApproval, key: string) =>
      change((kept) => ({
        ...kept,
        preApproved: [
          ...kept.preApproved.filter((one) => !isSame(one, tool)),
          { ...tool, key, since: time() },
        ],
      })),
    revokePreApproval: (tool: PreApproval): Promise<void> =>
      change((kept) => ({ ...kept, preApproved: kept.preApproved.filter((one) => !isSame(one, tool)) })),
    preApproved: (): Kept['preApproved'] => read().kept.preApproved,
    /** Whether the user allowed a tool in a project for every name of the agent. An agent without a known name is always asked about. */
    isPreApproved(names: readonly string[], project: string, key: string) {
      const { preApproved } = read().kept;
      const uses = (one: PreApproval & { key: string }) =>
        names.includes(one.agent) && one.project === project && one.key === key;
      const allowed =
        names.length > 0 && names.every((name) => preApproved.some((one) => one.agent === name && uses(one)));
      if (allowed) recordUse(uses);
      return allowed;
    },
    switchTool: (tool: PreApproval, on: boolean) =>
      change((kept) => {
        const others = kept.switchedOff.filter((one) => !isSame(one, tool));
        return { ...kept, switchedOff: on ? others : [...others, tool] };
      }),
    /** The tools that the user switched off in a project for one of the names of the agent, read once. @returns whether a tool is one */
    switchedOff(names: readonly string[], project: string): (appId: string, tool: string) => boolean {
      const off = read().kept.switchedOff.filter(
        (one) => one.project === project && names.includes(one.agent),
      );
      return (appId, tool) => off.some((one) => one.appId === appId && one.tool === tool);
    },
    bundles: (): readonly Bundle[] => read().kept.bundles,
    bundle: (name: string): Bundle | undefined => read().kept.bundles.find((one) => one.name === name),
    /** Saves a bundle in place of the one of its name, or of its earlier name. */
    saveBundle: (bundle: Bundle, earlier: string) =>
      change((kept) => {
        const others = kept.bundles.filter(({ name }) => name !== earlier && name !== bundle.name);
        return { ...kept, bundles: [...others, bundle].toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
      }),
    removeBundle: (name: string) =>
      change((kept) => ({ ...kept, bundles: kept.bundles.filter((one) => one.name !== name) })),
    /** @returns a function that removes the listener */
    listen(changed: () => void): () => void {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
}

/**
 * The user's settings for agents. They are read again each time, and never used partially: while the file cannot be read, all approvals
 * are asked on the page.
 */
export type AgentSettings = ReturnType<typeof openAgentSettings>;
