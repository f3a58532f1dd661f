import { refusalOfAgent } from '@svc/runtime';
import { z } from 'zod';
import type { Agents } from '../agents/agents.ts';
import { AGENT_IDS } from '../agents/entry.ts';
import { ConfigError } from '../agents/text-edit.ts';
import { MCP_PATH } from '../gateway/gateway.ts';
import { HttpError, notFound } from '../http/exchange.ts';
import { rulesOf } from '../rules-of.ts';
import { ChoicesForAll, OwnChoices, PreApproved } from '../settings/agent-settings.ts';
import { Bundle, MAX_BUNDLES } from '../settings/bundles.ts';
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
    'agents.bundles': call(Nothing, () => ({ bundles: agentSettings.bundles() })),
    /** Saves a bundle, which had another name before, or none. */
    'agents.saveBundle': call(
      z.strictObject({ bundle: Bundle, earlier: z.string().max(40) }),
      async ({ bundle, earlier }) => {
        const others = agentSettings.bundles().filter(({ name }) => name !== earlier);
        if (others.some(({ name }) => name === bundle.name))
          throw new HttpError(409, 'invalid_request', 'There is a bundle of this name.');
        if (others.length >= MAX_BUNDLES)
          throw new HttpError(409, 'invalid_request', 'There are too many bundles. Remove one first.');
        await agentSettings.saveBundle(bundle, earlier);
        return {};
      },
    ),
    'agents.removeBundle': call(z.strictObject({ name: z.string().max(40) }), async ({ name }) => {
      await agentSettings.removeBundle(name);
      return {};
    }),
    'agents.list': call(Nothing, async () => ({
      agents: (await agents?.list()) ?? [],
      address: `${desktop.origin}${MCP_PATH}`,
    })),
    /** The agent's file before and after connecting or disconnecting; nothing is written. */
    'agents.preview': call(OneAgent, ({ agent, remove }) =>
      withAgents((all) => all.preview(agent, remove), agents),
    ),
    'agents.apply': call(OneAgent, async ({ agent, remove }) => {
      const refused = remove ? null : refusalOfAgent(rulesOf(desktop.runtime), [agent]);
      if (refused) throw refused;
      return {
        agent: await withAgents((all) => all.apply(agent, remove), agents),
      };
    }),
  };
}
