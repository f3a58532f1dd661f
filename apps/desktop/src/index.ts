export * from './control/find-running-desktop.ts';
export type * from './desktop.ts';
export * from './open-desktop.ts';
