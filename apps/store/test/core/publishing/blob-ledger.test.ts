import { describe, expect, it } from 'vitest';
import { createBlobLedger } from '../../../src/core/publishing/blob-ledger.ts';
import { openDatabase } from '../../support/database.ts';

const hash = (digit: string) => digit.repeat(64);
const opened = async () => createBlobLedger(await openDatabase());

describe('the blob ledger', () => {
  it('lists the hashes to which no version refers', async () => {
    const ledger = await opened();
    await ledger.use([hash('a'), hash('b'), hash('a')]);
    await ledger.use([hash('b')]);
    expect(await ledger.unused([hash('a'), hash('c'), hash('b'), hash('d')])).toEqual([hash('c'), hash('d')]);
    expect(await ledger.unused([])).toEqual([]);
  });

  it('lists doomed hashes until old ones are purged', async () => {
    const ledger = await opened();
    await ledger.doom([hash('a')], '2026-01-01T00:00:00.000Z');
    await ledger.doom([hash('b')], '2026-01-02T00:00:00.000Z');
    expect((await ledger.doomed([hash('a'), hash('b'), hash('c')])).sort()).toEqual([hash('a'), hash('b')]);
    expect(await ledger.doomed([hash('b')])).toEqual([hash('b')]);
    await ledger.doom([hash('a')], '2026-01-03T00:00:00.000Z');
    await ledger.purgeDoomed('2026-01-02T00:00:00.001Z');
    expect(await ledger.doomed([hash('a'), hash('b')])).toEqual([hash('a')]);
  });

  it('returns the owner name that the first call set', async () => {
    const ledger = await opened();
    const names = await Promise.all(['x', 'y', 'z'].map((name) => ledger.ownerName(name)));
    expect(new Set(names).size).toBe(1);
    expect(await ledger.ownerName('late')).toBe(names[0]);
  });
});
