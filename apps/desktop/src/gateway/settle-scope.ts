import type { Server } from '@modelcontextprotocol/server';
import { PROVIDERS } from '@svc/contracts';
import { RuntimeError, type System } from '@svc/runtime';
import { AGENT_IDS } from '../agents/entry.ts';
import type { Desktop } from '../desktop.ts';
import type { AgentChoices } from '../wire/views.ts';
import type { SessionScope } from './agent-session.ts';
import { chooseProject, folderOfRoot } from './choose-project.ts';
import { providerOf } from './providers.ts';
import { nameOf } from './session-view.ts';

/** Timeout of `roots/list`, in milliseconds. */
const ROOTS_MS = 3_000;

/** The folders an agent works in, as it reports: from its URL and its MCP roots. */
async function foldersOf(server: Server, query: URLSearchParams): Promise<string[]> {
  const folders = query.getAll('folder');
  // Since 2026-07-28, servers cannot ask for roots at any time.
  const isAsked = server.getNegotiatedProtocolVersion() !== '2026-07-28';
  if (!server.getClientCapabilities()?.roots || !isAsked) return folders;
  const { roots } = await server.listRoots(undefined, { timeout: ROOTS_MS }).catch(() => ({ roots: [] }));
  return [...roots.flatMap(({ uri }) => folderOfRoot(uri) ?? []), ...folders];
}

/** The number of tools from which they are searched: from the agent's URL, else from the settings. */
function searchThresholdOf(asked: string | null, { tools, searchFrom }: AgentChoices): number {
  const mode = asked ?? tools;
  if (mode === 'all') return Number.POSITIVE_INFINITY;
  return mode === 'search' ? 0 : searchFrom;
}

/** Validates the URL parameters of a session, so that a typo is reported immediately; null if valid. */
export function faultOf(query: URLSearchParams, { settings }: Desktop): string | null {
  const provider = query.get('provider');
  const known = [...new Set<string>([...PROVIDERS, ...AGENT_IDS])];
  if (provider !== null && !known.includes(provider))
    return `Unknown provider. Providers: ${known.join(', ')}.`;
  try {
    chooseProject(settings.projects(), { project: query.get('project') ?? undefined, folders: [] });
    return null;
  } catch (error) {
    if (error instanceof RuntimeError) return error.message;
    throw error;
  }
}

/** Resolves project, provider and settings of an agent. */
export async function settleScope(
  server: Server,
  query: URLSearchParams,
  { desktop, system }: { desktop: Desktop; system: Pick<System, 'randomBytes'> },
): Promise<SessionScope> {
  const { settings, agentSettings } = desktop;
  const agent = nameOf(server.getClientVersion());
  const folders = await foldersOf(server, query);
  // The agent's own name and its URL may differ; the stricter settings apply.
  const names = [query.get('provider'), providerOf(agent)].filter((name) => name !== null);
  const project = chooseProject(settings.projects(), {
    project: query.get('project') ?? undefined,
    folders,
  }).id;
  return {
    project,
    provider: query.get('provider') ?? providerOf(agent),
    agent,
    chat: Buffer.from(system.randomBytes(16)).toString('base64url'),
    choices: () => agentSettings.choicesFor(names),
    names,
    switchedOff: () => agentSettings.switchedOff(names, project),
    isPreApproved: (key) => agentSettings.isPreApproved(names, project, key),
    searchThreshold: () => searchThresholdOf(query.get('tools'), agentSettings.choicesFor(names)),
  };
}
