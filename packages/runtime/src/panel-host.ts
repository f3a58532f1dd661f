export type { CloseReason } from './panels/bridge/messages.ts';
export * from './panels/host/mount-panel.ts';
export * from './panels/host/mount-preview.ts';
