import type { AgentId, GatewayTarget } from './entry.ts';

/** The svc program that agents start: a command and its first arguments. */
export type Program = readonly [command: string, ...args: string[]];

/** Command line arguments of a gateway. */
export type GatewayArguments = {
  folder: string;
  /** Store of the desktop that the gateway starts if none is running; the default store if undefined. */
  store?: string | undefined;
  /** Whether that desktop allows store apps with servers on this computer. */
  localApps?: boolean | undefined;
  /** Whether that desktop allows local connectors. */
  localConnectors?: boolean | undefined;
  project?: string | undefined;
  bundle?: string | undefined;
};

/**
 * How an agent starts the gateway: by the full path of this program, because the agent's `PATH` may differ from the terminal's.
 * The command line contains no secret.
 */
export function stdioTarget(
  agent: AgentId | null,
  [command, ...first]: Program,
  { folder, store, localApps = false, localConnectors = false, project, bundle }: GatewayArguments,
): GatewayTarget {
  const more = [
    ...(store === undefined ? [] : ['--store', store]),
    ...(localApps ? ['--local-apps'] : []),
    ...(localConnectors ? ['--local-connectors'] : []),
    ...(project === undefined ? [] : ['--project', project]),
    ...(bundle === undefined ? [] : ['--bundle', bundle]),
  ];
  return {
    kind: 'stdio',
    command,
    args: [
      ...[...first, 'gateway', ...(agent === null ? [] : ['--provider', agent])],
      ...['--folder', folder, ...more],
    ],
  };
}

/** How an agent connects to a running desktop. */
export function httpTarget(
  agent: AgentId | null,
  origin: string,
  { bearer, project, bundle }: { bearer: string } & Pick<GatewayArguments, 'project' | 'bundle'>,
): GatewayTarget {
  const query = new URLSearchParams({
    ...(agent !== null && { provider: agent }),
    ...(project !== undefined && { project }),
    ...(bundle !== undefined && { bundle }),
  });
  return { kind: 'http', url: `${origin}/mcp?${query}`, bearer };
}
