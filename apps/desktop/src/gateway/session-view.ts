import type { Implementation } from '@modelcontextprotocol/server';
import { cleanLine } from '@svc/text';
import { AGENT_IDS } from '../agents/entry.ts';
import type { Desktop } from '../desktop.ts';
import type { AgentSessionView } from '../wire/views.ts';
import { ALWAYS, SEARCH } from './meta-tools.ts';
import { offeredTools, usableApps } from './offered-tools.ts';
import { nameOf, type SessionScope } from './settle-scope.ts';

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
  const offered = scope === null ? [] : offeredTools(usableApps(runtime, scope));
  const all = scope === null ? [] : usableApps(runtime, { project: scope.project, provider: scope.provider });
  const isOff = scope?.switchedOff();
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
