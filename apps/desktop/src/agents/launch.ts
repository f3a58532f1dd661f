import type { AgentId, Reach } from './entry.ts';

/** The program of ours that agents start, as a command and what comes first behind it. */
export type Program = readonly [command: string, ...args: string[]];

/** What a gateway is told on its command line. */
export type GatewayWords = {
  folder: string;
  /** Store of the desktop that it starts where none runs; the usual one when it is not given. */
  store?: string | undefined;
  /** Whether that desktop takes apps of this machine. */
  localApps?: boolean | undefined;
  /** Whether that desktop offers local connectors. */
  localConnectors?: boolean | undefined;
  project?: string | undefined;
};

/**
 * How an agent starts the gateway: by the full path of this very program, since agents have other search paths than terminals.
 * The line holds no secret.
 */
export function stdioReach(
  agent: AgentId,
  [command, ...first]: Program,
  { folder, store, localApps = false, localConnectors = false, project }: GatewayWords,
): Reach {
  const more = [
    ...(store === undefined ? [] : ['--store', store]),
    ...(localApps ? ['--local-apps'] : []),
    ...(localConnectors ? ['--local-connectors'] : []),
    ...(project === undefined ? [] : ['--project', project]),
  ];
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
