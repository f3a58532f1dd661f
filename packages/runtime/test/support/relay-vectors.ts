import { type InteropFiles, interopJson } from '@svc/testkit';
import { ANSWERS, CALLBACKS, DIGITS } from './relay-answers.ts';
import { REFRESHES } from './relay-refreshes.ts';
import { CHALLENGES, REQUESTS } from './relay-requests.ts';

/** The files of `interop/relay`: see the README there. */
export const relayFiles = (): InteropFiles =>
  new Map(
    Object.entries({
      challenges: CHALLENGES,
      requests: REQUESTS,
      answers: ANSWERS,
      callbacks: CALLBACKS,
      digits: DIGITS,
      refreshes: REFRESHES,
    }).map(([name, vectors]) => [`${name}.json`, interopJson(vectors)]),
  );
