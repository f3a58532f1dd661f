import type { ROUTES } from '@svc/contracts';
import type { Page } from 'playwright-core';
import { ACCOUNT_VIEWS } from './views/account.ts';
import { DESKTOP_VIEWS } from './views/desktop.ts';
import { PUBLIC_VIEWS } from './views/public.ts';
import { STAFF_VIEWS } from './views/staff.ts';

/** How much there is to see, or what is in the way. */
export type State = 'empty' | 'usual' | 'full' | 'failing';

/** Who looks at a page of the store; each has a browser context with a session. */
export type Viewer = 'visitor' | 'person' | 'publisher' | 'moderator' | 'administrator';

/** Where a view is taken: a store without an administrator, one with nothing, a usual one, a full one, or the desktop before and after apps were installed. */
export type WorldName = 'bare' | 'empty' | 'usual' | 'full' | 'desktop-new' | 'desktop';

/** What a world knows that an address needs, such as the link of an invitation. */
export type Facts = Readonly<Record<string, string>>;

/** One page in one state. */
export type View = {
  /** Name of its pictures. */
  name: string;
  /** The routes of the store that send it; none for the desktop. */
  routes: readonly (keyof typeof ROUTES)[];
  state: State;
  world: WorldName;
  viewer?: Viewer;
  /** Path on the store, or hash of the desktop. */
  path: string | ((facts: Facts) => string);
  /** What must be there before the picture: a selector. */
  ready: string;
  /** What is done on the page first. */
  act?: (page: Page, facts: Facts) => Promise<unknown>;
  /** Which requests of the page fail: with this status, for addresses with this text in them. */
  fail?: string;
};

/** Every view that pictures are taken of. `test/screenshots.test.ts` compares it with the routes of the store and of the pages. */
export const VIEWS: readonly View[] = [...PUBLIC_VIEWS, ...ACCOUNT_VIEWS, ...STAFF_VIEWS, ...DESKTOP_VIEWS];
