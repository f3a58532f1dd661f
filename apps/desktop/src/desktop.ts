import type { CallRequest, CallResult, Runtime } from '@svc/runtime';
import type { Asker, PromptQueue } from './cards/prompt-queue.ts';
import type { AgentSettings } from './settings/agent-settings.ts';
import type { Settings } from './settings/settings.ts';

/** A call of a tool: whose, and under which id its progress is told to pages. */
export type DesktopCall = CallRequest & { appId: string; callId: string };

/** What the page, the gateway and development all work on. */
export type Desktop = {
  runtime: Runtime;
  desk: PromptQueue;
  settings: Settings;
  agentSettings: AgentSettings;
  /** Where the person answers cards, as a browser writes it. It lets nobody in by itself. */
  origin: string;
  /**
   * Calls a tool for somebody: its cards are theirs, its progress and its end are told.
   * @throws what `runtime.call` throws
   */
  call(asker: Asker, call: DesktopCall): Promise<CallResult>;
};
