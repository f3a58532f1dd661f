import { z } from 'zod';
import { AGENT_IDS, type Agents } from '../agents/agents.ts';
import { ConfigError } from '../agents/text-edit.ts';
import { MCP_PATH } from '../gateway/gateway.ts';
import { HttpError, notFound } from '../http/exchange.ts';
import { ChoicesForAll, OwnChoices } from '../settings/agent-settings.ts';
import { type CallsOf, Id, Nothing, type PageParts } from './page-call.ts';

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
export function agentCalls({ agents, desktop, gateway }: PageParts): CallsOf<'agents'> {
  const { agentSettings } = desktop;
  return {
    'agents.sessions': { input: Nothing, answer: () => ({ sessions: gateway.sessions() }) },
    'agents.end': {
      input: z.strictObject({ session: Id }),
      async answer({ session }) {
        if (await gateway.end(session)) return {};
        throw notFound('This agent is no longer connected.');
      },
    },
    'agents.settings': { input: Nothing, answer: () => agentSettings.show() },
    'agents.saveForAll': {
      input: ChoicesForAll,
      async answer(choices) {
        await agentSettings.saveForAll(choices);
        return agentSettings.show();
      },
    },
    'agents.saveFor': {
      input: ForOne,
      async answer({ agent, ...own }) {
        await agentSettings.saveFor(agent, own);
        return agentSettings.show();
      },
    },
    'agents.list': {
      input: Nothing,
      answer: async () => ({
        agents: (await agents?.list()) ?? [],
        address: `${desktop.origin}${MCP_PATH}`,
      }),
    },
    'agents.preview': {
      input: OneAgent,
      answer: ({ agent, remove }) => withAgents((all) => all.preview(agent, remove), agents),
    },
    'agents.apply': {
      input: OneAgent,
      answer: async ({ agent, remove }) => ({
        agent: await withAgents((all) => all.apply(agent, remove), agents),
      }),
    },
  };
}
