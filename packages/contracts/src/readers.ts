import type { Readers } from './routes/route.ts';
import { ROUTES, type Route, type RouteName } from './routes.ts';

/** The routes that need no sign-in in a public store. */
type PublicRoute = {
  [N in RouteName]: (typeof ROUTES)[N]['auth'] extends 'none' ? N : never;
}[RouteName];

/** Every public route, and who may use it in a store that only members may read. */
export const READERS = Object.fromEntries(
  Object.entries<Route>(ROUTES).flatMap(([name, { readers }]) => (readers ? [[name, readers]] : [])),
) as Readonly<Record<PublicRoute, Readers>>;

/** Whether a route of `ROUTES` requires membership in a store that only members may read. */
export const isForMembers = ({ readers }: Route): boolean => readers === 'members';
