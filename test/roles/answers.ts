import type { RouteName } from '@svc/contracts';
import type { Ask, ROLES, Role, World } from './world.ts';

type Tabled = (typeof ROLES)[number];

/** The result for a role: the status of success, or the error code. */
export type Answer = number | string;

/** A route: its request, and the result of each role. */
export type Row = {
  /** Prepares and describes the request. */
  ask(world: World, role: Role): Promise<Ask> | Ask;
  answers: Record<Tabled, Answer>;
};

export const everybody = (answer: Answer): Record<Tabled, Answer> => ({
  nobody: answer,
  person: answer,
  stranger: answer,
  member: answer,
  owner: answer,
  moderator: answer,
  administrator: answer,
  suspended: answer,
  token: answer,
  automation: answer,
});

/** Suspended users are treated as visitors. */
export const unknown = { nobody: 'unauthorized', suspended: 'unauthorized' };

/** Roles without a CSRF token. */
const forgers = { nobody: 'forbidden', token: 'forbidden', automation: 'forbidden' };

/** For signed-in users; programs are refused. */
export const people = (answer: Answer) => ({
  ...everybody(answer),
  ...unknown,
  token: 'forbidden',
  automation: 'forbidden',
});

/** As for signed-in users, but visitors are redirected to sign in. */
export const peoplePage = (answer: Answer) => ({ ...people(answer), nobody: 303, suspended: 303 });

/** For members of acme. */
export const members = (answer: Answer, refusal: Answer = 'not_a_member') => ({
  ...everybody(refusal),
  ...unknown,
  member: answer,
  owner: answer,
  token: answer,
  automation: answer,
});

/** For owners of acme, in a browser. */
export const owners = (answer: Answer) => ({ ...people('not_a_member'), member: 'forbidden', owner: answer });

export const moderators = (answer: Answer) => ({
  ...everybody('forbidden'),
  ...unknown,
  moderator: answer,
  administrator: answer,
  automation: answer,
});

export const administrators = (answer: Answer) => ({ ...moderators(answer), moderator: 'forbidden' });

/** As for moderators, but visitors are redirected to sign in. */
export const moderatorsPage = (answer: Answer) => ({ ...moderators(answer), nobody: 303, suspended: 303 });

export const administratorsPage = (answer: Answer) => ({ ...moderatorsPage(answer), moderator: 'forbidden' });

/** For visitors of a page, signed in or not: programs have no CSRF token. */
export const visitors = (answer: Answer) => ({ ...everybody(answer), ...forgers });

export const get = (path: string) => (): Ask => ({ method: 'GET', path });

/** Rows of existing routes. */
export type Rows = Partial<Record<RouteName, Row>>;
