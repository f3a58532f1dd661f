import type { Issue, Manifest } from '@svc/contracts';
import { mayReach, readPrivateNetworks } from '@svc/contracts/public-address';
import { machineFile } from '@svc/runtime/env-proxy';
import { givenNetworks } from '@svc/runtime/machine-settings';
import { cleanLine } from '@svc/text';
import { validateManifest } from '@svc/validator';
import type { CommandContext } from './command-record.ts';
import { versionOf } from './version.ts';

/** Time limit for listing the tools of a server, in milliseconds. */
const LIMIT_MS = 30_000;

/** How servers are reached: those of the public Internet, and of the private networks of the machine or of `SVC_PRIVATE_NETWORKS`. */
export const connectingOf = (env: CommandContext['env']) => ({
  isPublic: mayReach(readPrivateNetworks(givenNetworks(env, machineFile(process.platform, env)) ?? [])),
});

/** The tools that the server of an app lists, or why they are not known, as a sentence. */
export type LiveTools = { tools: readonly unknown[] } | { reason: string };

const nameOf = (tool: unknown): string[] =>
  typeof tool === 'object' && tool !== null && 'name' in tool && typeof tool.name === 'string'
    ? [tool.name]
    : [];

export const namesOf = (tools: readonly unknown[]): string[] => tools.flatMap(nameOf);

/**
 * Lists the tools of the MCP server of an app. The token of a user comes from the environment: a list of processes shows options.
 * @returns why they cannot be listed, rather than an error: a server need not run while its app is published
 */
export async function liveTools(
  { env, listTools }: Pick<CommandContext, 'env' | 'listTools'>,
  { remote }: Pick<Manifest, 'remote'>,
): Promise<LiveTools> {
  const { listServedTools, defaultSystem, RuntimeError } = await import('@svc/runtime/served-tools');
  const version = versionOf();
  const { SVC_MCP_TOKEN: token } = env;
  try {
    const list = listTools ?? listServedTools;
    const connecting = connectingOf(env);
    return await list(
      { system: defaultSystem, client: { name: 'svc', version }, connecting },
      remote.mcpUrl,
      {
        allowLoopback: true,
        userAgent: `svc/${version}`,
        limitMs: LIMIT_MS,
        ...(token && { token }),
      },
    );
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    const isSignIn = error.code === 'not-connected';
    return {
      reason: isSignIn
        ? 'the server requires a sign-in: set SVC_MCP_TOKEN to a token of a user'
        : cleanLine(error.message, 300),
    };
  }
}

/** The declared tools that a server does not have, as the warnings of `tools.served`. */
export const notServed = (manifest: Manifest, tools: readonly unknown[]): Issue[] =>
  validateManifest(manifest, { mode: 'dev', served: namesOf(tools) }).filter(
    ({ code }) => code === 'tools.served',
  );
