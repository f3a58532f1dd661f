export type {
  FileHandle,
  HostContext,
  InitializeResult,
  ToolContent,
  ToolResult,
} from './panels/bridge/messages.ts';
export * from './panels/client/connect-panel.ts';
