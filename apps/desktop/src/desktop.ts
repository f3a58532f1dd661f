import type {
  CallRequest,
  CallResult,
  ContentPart,
  FilledPrompt,
  PanelRequest,
  Runtime,
  ToolCaller,
} from '@svc/runtime';
import type { Asker, PromptQueue } from './cards/prompt-queue.ts';
import type { AgentSettings } from './settings/agent-settings.ts';
import type { Settings } from './settings/open-settings.ts';

/** A tool call, with its app, the id under which pages receive its progress, and who makes it. */
export type DesktopCall = CallRequest & { appId: string; callId: string; caller: ToolCaller };

/** A panel, whose calls are those of the desktop. */
type DesktopPanel = PanelRequest & Required<Pick<PanelRequest, 'call'>>;

/** The runtime without its calls of tools: they go through `Desktop.call`, which names the caller. */
export type DesktopRuntime = Omit<Runtime, 'call' | 'modelTools' | 'callByModelName' | 'openPanel'> & {
  openPanel(appId: string, panelId: string, request: DesktopPanel): ReturnType<Runtime['openPanel']>;
};

/** Content of a connector: the parts of a resource, or a filled-in prompt. */
export type Content = readonly ContentPart[] | FilledPrompt;

export type DesktopRead = { appId: string; method: 'resources/read' | 'prompts/get'; asked: string };

/** What the page, the gateway and `svc dev` share. */
export type Desktop = {
  runtime: DesktopRuntime;
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
