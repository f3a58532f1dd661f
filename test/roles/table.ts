import type { RouteName } from '@svc/contracts';
import { administrationRows } from './administration.ts';
import type { Row } from './answers.ts';
import { appsRows } from './apps.ts';
import { peopleRows } from './people.ts';
import { publishersRows } from './publishers.ts';
import { ratingsRows } from './ratings.ts';
import { tokensRows } from './tokens.ts';

/** Every route of the store, with the result of each role. A route without a row does not compile. */
export const TABLE: Record<RouteName, Row> = {
  ...appsRows,
  ...administrationRows,
  ...publishersRows,
  ...tokensRows,
  ...peopleRows,
  ...ratingsRows,
};
