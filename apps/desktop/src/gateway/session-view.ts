import type { Server } from '@modelcontextprotocol/server';
import { cleanLine } from '@svc/text';
import { PAGE_NAME } from '../cards/prompt-queue.ts';
import type { Desktop } from '../desktop.ts';
import type { AgentSessionView } from '../wire/views.ts';
import type { SessionScope } from './agent-session.ts';
import { usableApps } from './offered-tools.ts';

/** An open session of an agent. */
export type LiveSession = {
  /** Id for the page. It is not the MCP session id, which grants access to the session. */
  id: string;
  server: Server;
  since: number;
  usedAt: number;
  /** Project, provider and settings; null until the agent's first request for tools. */
  scope: SessionScope | null;
  calls: number;
  lastCall: AgentSessionView['lastCall'];
};

/** The reported name of an agent, cleaned for display. It never equals the asker name of the page. */
export function nameOf(server: Server): string {
  const name = (server.getClientVersion()?.name ?? '')
    .replaceAll(/[^\w .-]/g, '')
    .slice(0, 60)
    .trim();
  return name.toLowerCase() === PAGE_NAME ? `agent ${name}` : name || 'unknown';
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

/** The view of a session for the page, with the tools that it can use now. */
export function viewOf({ runtime, settings }: Desktop, session: LiveSession): AgentSessionView {
  const { id, server, since, usedAt, scope, calls, lastCall } = session;
  const apps = scope === null ? [] : usableApps(runtime, scope);
  const count = apps.reduce((sum, { tools }) => sum + tools.length, 0);
  return {
    ...{ id, calls, lastCall, agent: nameOf(server), since: isoOf(since), usedAt: isoOf(usedAt) },
    version: cleanLine(server.getClientVersion()?.version ?? '', 40),
    scope: scope && {
      project: settings.projects().find(({ id }) => id === scope.project)?.name ?? scope.project,
      searched: count >= scope.searchThreshold(),
      apps: apps.map(({ app, tools }) => ({
        ...{ appId: app.appId, name: app.manifest.name, tools: tools.map(({ name }) => name) },
      })),
    },
  };
}
