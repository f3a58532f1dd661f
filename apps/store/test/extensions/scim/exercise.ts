import { scimQueries } from '../../../src/extensions/scim/extension.ts';
import type { Exercise } from '../../support/plans/exercise.ts';
import { NOW, PERSON } from '../../support/plans/rows.ts';

/** Calls every query of the extension. */
export const exercise: Exercise = async (db, _stores, report) => {
  const { scim } = report(scimQueries(db));
  const at = { createdAt: NOW, changedAt: NOW };
  const user = { id: 'u', provider: 'acme', personId: PERSON, userName: 'ann', externalId: null, ...at };
  await scim.keepUser({ ...user, name: 'Ann', email: null, active: true });
  await scim.user('acme', 'u');
  await scim.activeUsers('acme');
  for (const attribute of ['id', 'name', 'externalId', 'email'] as const)
    for (const filter of [null, { attribute, value: 'x' }]) {
      await scim.users('acme', { filter, start: 31, count: 31 });
      await scim.groups('acme', { filter, start: 31, count: 31 });
    }
  await scim.keepGroup({ id: 'g', provider: 'acme', name: 'team', externalId: null, ...at });
  await scim.group('acme', 'g');
  await scim.addMember('g', 'u');
  await scim.members('g');
  await scim.groupsOf('acme', PERSON);
  await scim.removeMember('g', 'u');
  await scim.removeGroup('g');
  await scim.removeUser('u');
  await scim.removePerson('unknown');
};
