import { servedToolsOf } from '@svc/contracts';
import { mayReach, type PrivateNetworks } from '@svc/contracts/public-address';
import type { Connecting, RuntimeError } from '@svc/runtime/served-tools';
import type { Listed, ServerLister } from '../../core/domain/tools/served.ts';

/** Time limit of one listing, from the first connection to the last byte, in milliseconds. */
const MAX_MS = 20_000;

const FAULTS: Readonly<Record<string, string>> = {
  'address-refused':
    'Its address is neither of the public Internet nor of SVC_PRIVATE_NETWORKS, or leads to a host that the app does not name.',
  unreachable: 'It cannot be reached.',
  'too-slow': 'It does not list its tools in time.',
  'too-large': 'Its list of tools is too large.',
};

type ListerDeps = {
  /** Whether servers on this machine may be listed, for a store of developers. */
  localApps: boolean;
  /** The address of the store, which the requests name. */
  baseUrl: string;
  version: string;
  privateNetworks: PrivateNetworks | null;
  connecting?: Connecting;
};

/** What an error of the client means, without words of the server. */
function notListed({ code, detail }: Pick<RuntimeError, 'code' | 'detail'>): Listed {
  if (code === 'not-connected') return { is: 'needs-sign-in' };
  const { retryAfter = null, status } = detail as { retryAfter?: number; status?: number };
  const answer =
    status === undefined ? 'It answers, but not as an MCP server does.' : `It answers ${status}.`;
  return { is: 'not-answering', fault: FAULTS[code] ?? answer, retryAfter };
}

/** Lists the tools of servers over the guarded connections of the runtime, which every client uses too. */
export const createServerLister = (deps: ListerDeps): ServerLister => ({
  async list({ remote }, { token, signal } = {}) {
    // Loaded on demand: the MCP client is large, and only the prober uses it.
    const { listServedTools, defaultSystem, RuntimeError } = await import('@svc/runtime/served-tools');
    const { localApps, baseUrl, version } = deps;
    const connecting = { isPublic: mayReach(deps.privateNetworks), ...deps.connecting };
    try {
      const { tools, ttlMs } = await listServedTools(
        { system: defaultSystem, client: { name: 'svc-store', version }, connecting },
        remote.mcpUrl,
        {
          allowed: [new URL(remote.mcpUrl).hostname, ...remote.domains],
          allowLoopback: localApps,
          userAgent: `svc-store/${version} (+${baseUrl})`,
          limitMs: MAX_MS,
          token,
          signal,
        },
      );
      return { is: 'listed', tools: servedToolsOf(tools).tools, ttlMs };
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error;
      return notListed(error);
    }
  },
});
