import type { AgentView } from '../wire/views.ts';

export type AgentId = AgentView['id'];

/** How an agent reaches the gateway: a program it starts itself, or the desktop that runs. */
export type Reach =
  | { kind: 'stdio'; command: string; args: readonly string[] }
  | { kind: 'http'; url: string; bearer: string };

/** What the agents call the server of ours in their configuration. */
export const SERVER = 'svc';

const headersOf = (bearer: string) => ({ Authorization: `Bearer ${bearer}` });

/** What stands under our name in an agent's configuration, in the words of that agent. */
export function entryFor(agent: AgentId, reach: Reach): Record<string, unknown> {
  if (reach.kind === 'stdio') {
    const { command, args } = reach;
    switch (agent) {
      case 'opencode':
        return { type: 'local', command: [command, ...args], enabled: true };
      case 'claude-code':
        return { type: 'stdio', command, args };
      default:
        return { command, args };
    }
  }
  const { url, bearer } = reach;
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
