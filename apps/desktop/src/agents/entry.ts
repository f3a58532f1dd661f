import type { AgentView } from '../wire/views.ts';

export type AgentId = AgentView['id'];

/** How an agent connects to the gateway: by starting a program, or by HTTP to a running desktop. */
export type GatewayTarget =
  | { kind: 'stdio'; command: string; args: readonly string[] }
  | { kind: 'http'; url: string; bearer: string };

/** The name of our server in the configurations. */
export const SERVER = 'svc';

const headersOf = (bearer: string) => ({ Authorization: `Bearer ${bearer}` });

/** The entry for our server, in the format of the agent. */
export function entryFor(agent: AgentId, target: GatewayTarget): Record<string, unknown> {
  if (target.kind === 'stdio') {
    const { command, args } = target;
    switch (agent) {
      case 'opencode':
        return { type: 'local', command: [command, ...args], enabled: true };
      case 'claude-code':
        return { type: 'stdio', command, args };
      default:
        return { command, args };
    }
  }
  const { url, bearer } = target;
  const headers = headersOf(bearer);
  switch (agent) {
    case 'opencode':
      return { type: 'remote', url, headers, enabled: true };
    case 'claude-code':
      return { type: 'http', url, headers };
    case 'gemini-cli':
      return { httpUrl: url, headers };
    case 'codex':
      return { url, http_headers: headers };
    case 'cursor':
      return { url, headers };
  }
}
