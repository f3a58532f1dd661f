export * from './page/client/connect-page.ts';
export * from './page/client/panel-element.ts';
export type { PageCard, ShownPanel } from './page/wire.ts';
