import type { ROUTES } from '@svc/contracts';
import type { Page } from 'playwright-core';

/** State of a page: without data, typical, with much data, or failing. */
export type State = 'empty' | 'usual' | 'full' | 'failing';

/** Role of the viewer; each has a browser context with a session. */
export type Viewer = 'visitor' | 'person' | 'publisher' | 'moderator' | 'administrator';

/** Fixture of a view: a store without administrator, empty, typical, or full; or the desktop before and after installing apps. */
export type WorldName = 'bare' | 'empty' | 'usual' | 'full' | 'desktop-new' | 'desktop';

/** Values of a world that paths need, such as the link of an invitation. */
export type Facts = Readonly<Record<string, string>>;

/** One page in one state. */
export type View = {
  /** Name of its screenshots. */
  name: string;
  /** Routes of the store that serve it; none for the desktop. */
  routes: readonly (keyof typeof ROUTES)[];
  state: State;
  world: WorldName;
  viewer?: Viewer;
  /** Path on the store, or hash of the desktop. */
  path: string | ((facts: Facts) => string);
  /** Selector that must be present before the screenshot. */
  ready: string;
  /** Actions on the page before the screenshot. */
  act?: (page: Page, facts: Facts) => Promise<unknown>;
  /** Height of the window in pixels, for a page that scrolls inside it; 900 otherwise. */
  height?: number;
  /** Requests whose path contains this text fail. */
  fail?: string;
};
