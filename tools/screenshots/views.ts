import type { View } from './view.ts';
import { ACCOUNT_VIEWS } from './views/account.ts';
import { DESKTOP_VIEWS } from './views/desktop.ts';
import { PUBLIC_VIEWS } from './views/public.ts';
import { SIGN_IN_VIEWS } from './views/sign-in.ts';
import { STAFF_VIEWS } from './views/staff.ts';

/** All views. `test/screenshots.test.ts` compares them with the routes of the store and of the pages. */
export const VIEWS: readonly View[] = [
  ...PUBLIC_VIEWS,
  ...SIGN_IN_VIEWS,
  ...ACCOUNT_VIEWS,
  ...STAFF_VIEWS,
  ...DESKTOP_VIEWS,
];
