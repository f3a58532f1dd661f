import type { RouteName } from '@svc/contracts';
import type { Ask, Role, World } from './world.ts';

/** What somebody gets: the status of success, or the code of the refusal. */
export type Answer = number | string;

/** A route: how it is asked for, and what each role gets. */
export type Row = {
  /** What is asked for, with all it needs made ready. */
  ask(world: World, role: Role): Promise<Ask> | Ask;
  answers: Record<Role, Answer>;
};

export const everybody = (answer: Answer): Record<Role, Answer> => ({
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

/** Whoever was suspended is nobody any more. */
export const unknown = { nobody: 'unauthorized', suspended: 'unauthorized' };

/** Those who have no page's token. */
const forgers = { nobody: 'forbidden', token: 'forbidden', automation: 'forbidden' };

/** For whoever is signed in; programs are told that it is for people. */
export const people = (answer: Answer) => ({
  ...everybody(answer),
  ...unknown,
  token: 'forbidden',
  automation: 'forbidden',
});

/** As for people, but those who are not signed in are led to where one signs in. */
export const peoplePage = (answer: Answer) => ({ ...people(answer), nobody: 303, suspended: 303 });

/** For those who act for acme. */
export const members = (answer: Answer, refusal: Answer = 'not_a_member') => ({
  ...everybody(refusal),
  ...unknown,
  member: answer,
  owner: answer,
  token: answer,
  automation: answer,
});

/** For those who own acme, in a browser. */
export const owners = (answer: Answer) => ({ ...people('not_a_member'), member: 'forbidden', owner: answer });

export const moderators = (answer: Answer) => ({
  ...everybody('forbidden'),
  ...unknown,
  moderator: answer,
  administrator: answer,
  automation: answer,
});

export const administrators = (answer: Answer) => ({ ...moderators(answer), moderator: 'forbidden' });

/** As for moderators, but those who are not signed in are led to where one signs in. */
export const moderatorsPage = (answer: Answer) => ({ ...moderators(answer), nobody: 303, suspended: 303 });

export const administratorsPage = (answer: Answer) => ({ ...moderatorsPage(answer), moderator: 'forbidden' });

/** For whoever looks at a page of the store, signed in or not: a program has shown no page's token. */
export const visitors = (answer: Answer) => ({ ...everybody(answer), ...forgers });

export const get = (path: string) => (): Ask => ({ method: 'GET', path });

/** Rows of routes that are there. */
export type Rows = Partial<Record<RouteName, Row>>;
