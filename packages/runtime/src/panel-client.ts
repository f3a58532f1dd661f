export type { FileHandle, HostContext, InitializeResult } from './panels/bridge/messages.ts';
export * from './panels/client/connect-panel.ts';
