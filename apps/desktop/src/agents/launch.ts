import type { AgentId, Reach } from './entry.ts';

/** The program of ours that agents start, as a command and what comes first behind it. */
export type Program = readonly [command: string, ...args: string[]];

/** What a gateway is told on its command line. */
export type GatewayWords = { folder: string; project?: string | undefined };

/**
 * How an agent starts the gateway: by the full path of this very program, since agents have other search paths than terminals.
 * The line holds no secret.
 */
export function stdioReach(
  agent: AgentId,
  [command, ...first]: Program,
  { folder, project }: GatewayWords,
): Reach {
  const more = project === undefined ? [] : ['--project', project];
  return {
    kind: 'stdio',
    command,
    args: [...first, 'gateway', '--provider', agent, '--folder', folder, ...more],
  };
}

/** How an agent reaches a desktop that runs, by its address. */
export function httpReach(
  agent: AgentId,
  origin: string,
  { bearer, project }: { bearer: string; project?: string | undefined },
): Reach {
  const query = new URLSearchParams({ provider: agent, ...(project !== undefined && { project }) });
  return { kind: 'http', url: `${origin}/mcp?${query}`, bearer };
}
