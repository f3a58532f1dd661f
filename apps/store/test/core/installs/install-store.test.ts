import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createUnitOfWork } from '../../../src/adapters/database/stores.ts';
import { openInstallMac } from '../../../src/core/installs/install-store.ts';
import { openDatabase } from '../../support/database.ts';

it('the MAC of an installation is the same in all processes that start on one database at the same time, and differs between databases', async () => {
  const unitOfWork = createUnitOfWork(await openDatabase());
  const other = createUnitOfWork(await openDatabase());
  const open = (over: typeof unitOfWork) => openInstallMac({ unitOfWork: over, random: randomBytes });
  const macs = await Promise.all([open(unitOfWork), open(unitOfWork), open(unitOfWork)]);
  const names = macs.map((mac) => mac('an installation'));
  expect(new Set(names).size).toBe(1);
  expect((await open(other))('an installation')).not.toBe(names[0]);
});
