import type { Tool } from '@svc/contracts';
import type { InstalledApp } from '@svc/runtime';
import { preApprovalKey } from '@svc/runtime/parts';
import { z } from 'zod';
import type { Agents } from '../agents/agents.ts';
import { AGENT_IDS } from '../agents/entry.ts';
import { ConfigError } from '../agents/text-edit.ts';
import type { Desktop } from '../desktop.ts';
import { MCP_PATH } from '../gateway/gateway.ts';
import { HttpError, notFound } from '../http/exchange.ts';
import { ChoicesForAll, OwnChoices, PreApproved } from '../settings/agent-settings.ts';
import type { PreApproval } from '../wire/views.ts';
import { call, Id, Nothing, type PageParts } from './page-call.ts';

const ForOne = z.strictObject({ agent: z.enum(AGENT_IDS), ...OwnChoices.shape });
const OneAgent = z.strictObject({ agent: z.enum(AGENT_IDS), remove: z.boolean() });

/** Converts a ConfigError to an HttpError. The user reads why their file cannot be changed. */
async function withAgents<T>(work: (agents: Agents) => Promise<T>, agents: Agents | null): Promise<T> {
  if (!agents) throw new HttpError(404, 'not_found', 'This desktop has no agents.');
  try {
    return await work(agents);
  } catch (error) {
    if (error instanceof ConfigError) throw new HttpError(409, 'invalid_request', error.message);
    throw error;
  }
}

/** What an approval beforehand of a tool is bound to; null for one that asks nothing, or takes files. */
const keyOfTool = (app: InstalledApp, tool: Tool): string | null =>
  tool.confirm ? preApprovalKey(app, tool) : null;

/** The same, of a tool by its names; null also for one that is not installed. */
function keyOf({ runtime }: Desktop, { appId, tool }: Pick<PreApproval, 'appId' | 'tool'>): string | null {
  const app = runtime.library.get(appId);
  const declared = app?.manifest.contributes.tools?.find(({ id }) => id === tool);
  return app && declared ? keyOfTool(app, declared) : null;
}

/** Tools that agents may call without asking, in words and keys of the user's. */
function preApprovalCalls(desktop: Desktop) {
  const { agentSettings, runtime } = desktop;
  return {
    /** The tools that agents may call without asking; `changed`: the app has changed the tool since, so that its calls ask again. */
    'agents.preApproved': call(Nothing, () => ({
      tools: agentSettings
        .preApproved()
        .map(({ key, ...one }) => ({ ...one, changed: keyOf(desktop, one) !== key })),
    })),
    /** The tools of a project that ask before each call and take no files. */
    'agents.askingTools': call(z.strictObject({ project: Id }), ({ project }) => ({
      tools: runtime
        .allToolsNow({ project })
        .flatMap(({ app }) =>
          (app.manifest.contributes.tools ?? [])
            .filter((tool) => keyOfTool(app, tool) !== null)
            .map(({ id, name }) => ({ appId: app.appId, app: app.manifest.name, tool: id, name })),
        ),
    })),
    'agents.preApprove': call(PreApproved, async (tool) => {
      const key = keyOf(desktop, tool);
      if (key === null) throw notFound('This tool takes files, asks nothing, or is not installed.');
      await agentSettings.preApprove(tool, key);
    }),
    'agents.revokePreApproval': call(PreApproved, (tool) => agentSettings.revokePreApproval(tool)),
  };
}

/**
 * The configurations of coding agents, and the settings for them.
 */
export function agentCalls({ agents, desktop, gateway }: PageParts) {
  const { agentSettings } = desktop;
  return {
    /** The connected agents, newest first. */
    'agents.sessions': call(Nothing, () => ({ sessions: gateway.sessions() })),
    /** Ends a session and its calls. The agent may open another one. */
    /** Null ends all sessions. */
    'agents.end': call(z.strictObject({ session: Id.nullable() }), async ({ session }) => {
      if ((await gateway.end(session)) || session === null) return {};
      throw notFound('This agent is no longer connected.');
    }),
    /** Switches a tool off or on for an agent in a project. */
    'agents.switchTool': call(z.strictObject({ ...PreApproved.shape, on: z.boolean() }), ({ on, ...tool }) =>
      agentSettings.switchTool(tool, on),
    ),
    'agents.settings': call(Nothing, () => agentSettings.show()),
    ...preApprovalCalls(desktop),
    'agents.saveAskAboutTools': call(z.strictObject({ asks: z.boolean() }), async ({ asks }) => {
      await agentSettings.saveAskAboutTools(asks);
      return agentSettings.show();
    }),
    'agents.saveForAll': call(ChoicesForAll, async (choices) => {
      await agentSettings.saveForAll(choices);
      return agentSettings.show();
    }),
    'agents.saveFor': call(ForOne, async ({ agent, ...own }) => {
      await agentSettings.saveFor(agent, own);
      return agentSettings.show();
    }),
    'agents.list': call(Nothing, async () => ({
      agents: (await agents?.list()) ?? [],
      address: `${desktop.origin}${MCP_PATH}`,
    })),
    /** The agent's file before and after connecting or disconnecting; nothing is written. */
    'agents.preview': call(OneAgent, ({ agent, remove }) =>
      withAgents((all) => all.preview(agent, remove), agents),
    ),
    'agents.apply': call(OneAgent, async ({ agent, remove }) => ({
      agent: await withAgents((all) => all.apply(agent, remove), agents),
    })),
  };
}
