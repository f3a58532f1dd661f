import type { Server } from '@modelcontextprotocol/server';
import { cleanLine } from '@svc/text';
import { PAGE_NAME } from '../cards/prompt-queue.ts';
import type { Desktop } from '../desktop.ts';
import type { AgentSessionView } from '../wire/views.ts';
import type { Settled } from './agent-session.ts';
import { usableApps } from './offered-tools.ts';

/** The session of an agent, for as long as it is open. */
export type LiveSession = {
  /** Names it to the page. It is not the id that the agent holds, which lets into the session. */
  id: string;
  server: Server;
  since: number;
  usedAt: number;
  /** What it is for; null until it asked for tools. */
  settled: Settled | null;
  calls: number;
  lastCall: AgentSessionView['lastCall'];
};

/** What an agent calls itself, for people. None passes for the page, which is named where an agent would be. */
export function nameOf(server: Server): string {
  const said = (server.getClientVersion()?.name ?? '')
    .replaceAll(/[^\w .-]/g, '')
    .slice(0, 60)
    .trim();
  return said.toLowerCase() === PAGE_NAME ? `agent ${said}` : said || 'unknown';
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

/** A session as the page shows it, with what it may use now. */
export function viewOf({ runtime, settings }: Desktop, session: LiveSession): AgentSessionView {
  const { id, server, since, usedAt, settled, calls, lastCall } = session;
  const apps = settled === null ? [] : usableApps(runtime, settled);
  const count = apps.reduce((sum, { tools }) => sum + tools.length, 0);
  return {
    ...{ id, calls, lastCall, agent: nameOf(server), since: isoOf(since), usedAt: isoOf(usedAt) },
    version: cleanLine(server.getClientVersion()?.version ?? '', 40),
    scope: settled && {
      project: settings.projects().find((one) => one.id === settled.project)?.name ?? settled.project,
      searched: count >= settled.mostTools(),
      apps: apps.map(({ app, tools }) => ({
        ...{ appId: app.appId, name: app.manifest.name, tools: tools.map(({ name }) => name) },
      })),
    },
  };
}
