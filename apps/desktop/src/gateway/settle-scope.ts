import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Implementation, Server } from '@modelcontextprotocol/server';
import { PROVIDERS } from '@svc/contracts';
import { RuntimeError, type System } from '@svc/runtime';
import { cleanLine } from '@svc/text';
import { AGENT_IDS } from '../agents/entry.ts';
import { PAGE_NAME } from '../cards/prompt-queue.ts';
import type { Desktop } from '../desktop.ts';
import { isWithin } from '../folders/private-folder.ts';
import { offeredBy, wordsIn } from '../settings/bundles.ts';
import type { AgentChoices, AgentSessionView, Project } from '../wire/views.ts';
import { ALWAYS, SEARCH } from './meta-tools.ts';
import { type Audience, offeredTools, providerOf, usableApps } from './offered-tools.ts';

/** Project, provider and settings of a session. */
export type SessionScope = Audience & {
  provider: string | null;
  /** Display name of the agent. */
  agent: string;
  chat: string;
  /** The name of the bundle that it is offered; null for all apps. */
  bundle: string | null;
  /** The current settings for the agent. */
  choices(): AgentChoices;
  /** Whether the user approved calls of a tool for the agent beforehand. @param key of `preApprovalKey` */
  isPreApproved(key: string): boolean;
  /** The known names of the agent, whose settings apply. */
  names: readonly string[];
  /** The number of tools from which they are searched instead of listed. */
  searchThreshold(): number;
};

/** The reported name of an agent, cleaned for display. It never equals the asker name of the page. */
function nameOf(client: Implementation | undefined): string {
  const name = (client?.name ?? '')
    .replaceAll(/[^\w .-]/g, '')
    .slice(0, 60)
    .trim();
  return name.toLowerCase() === PAGE_NAME ? `agent ${name}` : name || 'unknown';
}

/** Where an agent works, as it reports: a project name, or folders. */
type ClientLocation = { project?: string | undefined; folders: readonly string[] };

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** The innermost project that contains a folder. */
function projectOf(projects: readonly Project[], folder: string): Project | undefined {
  const real = realFolder(folder);
  return projects
    .filter((project) => project.folder !== null && isWithin(real, realFolder(project.folder)))
    .sort((a, b) => (b.folder?.length ?? 0) - (a.folder?.length ?? 0))[0];
}

/** The folder of an MCP root; null if it is not a local folder. */
function folderOfRoot(uri: string): string | null {
  try {
    return fileURLToPath(uri);
  } catch {
    return null;
  }
}

/**
 * Chooses the project of a session: the named one, else the one that contains its folders, else the first.
 * @throws RuntimeError `invalid-arguments` if the named project does not exist
 */
export function chooseProject(projects: readonly Project[], { project, folders }: ClientLocation): Project {
  if (project !== undefined) {
    const named = projects.find(({ id, name }) => id === project || name === project);
    if (named) return named;
    const names = projects.map(({ name }) => name).join(', ');
    throw new RuntimeError('invalid-arguments', `Unknown project. Projects: ${names}.`);
  }
  const containing = folders
    .map((folder) => projectOf(projects, folder))
    .find((project) => project !== undefined);
  const chosen = containing ?? projects[0];
  if (!chosen)
    throw new RuntimeError('invalid-arguments', 'There is no project. Add one on the desktop page.');
  return chosen;
}

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
export function faultOf(query: URLSearchParams, { settings, agentSettings }: Desktop): string | null {
  const provider = query.get('provider');
  const known = [...new Set<string>([...PROVIDERS, ...AGENT_IDS])];
  if (provider !== null && !known.includes(provider))
    return `Unknown provider. Providers: ${known.join(', ')}.`;
  const bundle = query.get('bundle');
  if (bundle !== null && !agentSettings.bundle(bundle))
    return `Unknown bundle. Bundles: ${
      agentSettings
        .bundles()
        .map(({ name }) => name)
        .join(', ') || 'none'
    }.`;
  try {
    chooseProject(settings.projects(), { project: query.get('project') ?? undefined, folders: [] });
    return null;
  } catch (error) {
    if (error instanceof RuntimeError) return error.message;
    throw error;
  }
}

/** What the bundle in an address leaves of the apps, and how it names their tools. It follows each change of the bundle. */
export function bundledIn(
  query: URLSearchParams,
  { agentSettings }: Pick<Desktop, 'agentSettings'>,
): Pick<Audience, 'only' | 'words'> {
  const name = query.get('bundle');
  if (name === null) return {};
  return {
    only: () => offeredBy(agentSettings.bundle(name)),
    words() {
      const bundle = agentSettings.bundle(name);
      return (appId, tool) => wordsIn(bundle, appId, tool);
    },
  };
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
    ...{ as: 'model', project, bundle: query.get('bundle') },
    ...bundledIn(query, desktop),
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

/** An open session of an agent. */
export type LiveSession = {
  /** Id for the page. It is not the MCP session id, which grants access to the session. */
  id: string;
  /** What it reports of itself. */
  client(): Implementation | undefined;
  since: number;
  usedAt: number;
  /** Project, provider and settings; null until the agent's first request for tools. */
  scope: SessionScope | null;
  calls: number;
  lastCall: AgentSessionView['lastCall'];
};

const isoOf = (ms: number): string => new Date(ms).toISOString();

/** Characters of JSON that a token of a model has, about. */
const TOKEN_CHARACTERS = 4;

/** The view of a session for the page, with the tools that it can use now. */
export function viewOf({ runtime, settings }: Desktop, session: LiveSession): AgentSessionView {
  const { id, since, usedAt, scope, calls, lastCall } = session;
  const offered = scope === null ? [] : offeredTools(usableApps(runtime, scope), scope);
  const all = scope === null ? [] : usableApps(runtime, { ...scope, switchedOff: () => () => false });
  const isOff = scope?.switchedOff?.();
  const searched = scope !== null && offered.length >= scope.searchThreshold();
  const listed = [...ALWAYS, ...(searched ? SEARCH : offered.map(({ definition }) => definition))];
  return {
    ...{ id, calls, lastCall, agent: nameOf(session.client()), since: isoOf(since), usedAt: isoOf(usedAt) },
    version: cleanLine(session.client()?.version ?? '', 40),
    scope: scope && {
      project: settings.projects().find(({ id }) => id === scope.project)?.name ?? scope.project,
      searched,
      tokens: Math.round(JSON.stringify(listed).length / TOKEN_CHARACTERS),
      projectId: scope.project,
      bundle: scope.bundle,
      knownAs: AGENT_IDS.find((agent) => scope.names.includes(agent)) ?? null,
      apps: all.map(({ app, tools }) => ({
        appId: app.appId,
        name: app.manifest.name,
        tools: tools.map(({ id: tool, title }) => ({
          ...{ id: tool, name: title, on: !isOff?.(app.appId, tool) },
        })),
      })),
    },
  };
}
