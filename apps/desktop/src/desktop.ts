import type { CallRequest, CallResult, ContentPart, FilledPrompt, Runtime } from '@svc/runtime';
import type { Asker, PromptQueue } from './cards/prompt-queue.ts';
import type { AgentSettings } from './settings/agent-settings.ts';
import type { Settings } from './settings/open-settings.ts';

/** A tool call, with its app and the id under which pages receive its progress. */
export type DesktopCall = CallRequest & { appId: string; callId: string };

/** Content of a connector: the parts of a resource, or a filled-in prompt. */
export type Content = readonly ContentPart[] | FilledPrompt;

export type DesktopRead = { appId: string; method: 'resources/read' | 'prompts/get'; asked: string };

/** What the page, the gateway and `svc dev` share. */
export type Desktop = {
  runtime: Runtime;
  prompts: PromptQueue;
  settings: Settings;
  agentSettings: AgentSettings;
  /** Origin of the page where the user answers cards. It grants no access by itself. */
  origin: string;
  /**
   * Calls a tool for a caller. Cards are shown in the caller's name; progress and outcome are emitted.
   * @throws what `runtime.call` throws
   */
  call(asker: Asker, call: DesktopCall): Promise<CallResult>;
  /** Reads a resource or a prompt of a connector for a caller. Cards are shown in the caller's name; the outcome is emitted. */
  read<T extends Content>(asker: Asker, read: DesktopRead, work: () => Promise<T>): Promise<T>;
};
