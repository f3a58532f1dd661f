export * from './page/client/connect-page.ts';
export * from './page/client/panel-element.ts';
export { readEvents } from './page/client/read-events.ts';
export type { PageCard, ShownPanel } from './page/wire.ts';
