import type { CallRequest, CallResult, ContentPart, FilledPrompt, Runtime } from '@svc/runtime';
import type { Asker, PromptQueue } from './cards/prompt-queue.ts';
import type { AgentSettings } from './settings/agent-settings.ts';
import type { Settings } from './settings/settings.ts';

/** A call of a tool: whose, and under which id its progress is told to pages. */
export type DesktopCall = CallRequest & { appId: string; callId: string };

/** What a connector has beside tools: the parts of a resource, or a prompt that was filled in. */
export type Content = readonly ContentPart[] | FilledPrompt;

/** What is read of a connector, and by which address or name. */
export type DesktopRead = { appId: string; method: 'resources/read' | 'prompts/get'; asked: string };

/** What the page, the gateway and development all work on. */
export type Desktop = {
  runtime: Runtime;
  desk: PromptQueue;
  settings: Settings;
  agentSettings: AgentSettings;
  /** Where the person answers cards, as a browser writes it. It lets nobody in by itself. */
  origin: string;
  /**
   * Calls a tool for a caller: its cards are theirs, its progress and its end are emitted.
   * @throws what `runtime.call` throws
   */
  call(asker: Asker, call: DesktopCall): Promise<CallResult>;
  /** Reads a resource or a prompt of a connector for a caller: its cards are theirs, its end is told. */
  read<T extends Content>(asker: Asker, read: DesktopRead, work: () => Promise<T>): Promise<T>;
};
