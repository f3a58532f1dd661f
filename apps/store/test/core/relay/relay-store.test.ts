import { LIMITS } from '@svc/contracts';
import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import {
  createRelayStore,
  type ParkedEntry,
  type WaitingClient,
} from '../../../src/core/relay/relay-store.ts';
import { openDatabase } from '../../support/database.ts';

const NOW = '2026-03-01T12:00:00.000Z';
const later = (ms: number): string => new Date(Date.parse(NOW) + ms).toISOString();

/** Ends of a row: it has expired, it counts, and it was written by a clock that was ahead. */
const ENDS = { expired: later(0), active: later(1_000), ahead: later(30 * 24 * 3_600_000) };
type End = keyof typeof ENDS;

const SITES = ['site-a', 'site-b'];
const ALL_ENDS = Object.keys(ENDS) as End[];

type Row = ParkedEntry & { end: End; isCollected: boolean };

/** An entry of each end and site, collected and not, confirmed and not. */
const ROWS: Row[] = SITES.flatMap((network) =>
  ALL_ENDS.flatMap((end) =>
    [true, false].flatMap((isCollected) =>
      [true, false].map((isConfirmed) => {
        const stateHash = [network, end, isCollected, isConfirmed].join(' ');
        const ticketHash = `ticket of ${stateHash}`;
        const who = { network, browser: `browser of ${stateHash}`, ticketHash };
        const expiresAt = ENDS[end];
        return { stateHash, ...who, sealed: `s ${stateHash}`, isConfirmed, expiresAt, end, isCollected };
      }),
    ),
  ),
);

/** A client of each end and site, two for each of two states. */
const CLIENTS: (WaitingClient & { end: End })[] = ['first', 'second'].flatMap((stateHash) =>
  SITES.flatMap((site) =>
    ALL_ENDS.map((end) => {
      const network = `${site} ${end}`;
      return { stateHash, site, network, appId: `app of ${network}`, expiresAt: ENDS[end], end };
    }),
  ),
);

async function filled() {
  const relay = createRelayStore(await openDatabase());
  for (const row of ROWS) {
    await relay.park(row);
    if (row.isCollected) await relay.empty(row.stateHash);
  }
  for (const client of CLIENTS) await relay.addClient(client);
  return relay;
}

type Relay = Awaited<ReturnType<typeof filled>>;

/** What a store has of each entry: what `find` and `stateOfTicket` return. */
const contentsOf = (relay: Relay) =>
  Promise.all(
    ROWS.map(async ({ stateHash, ticketHash }) => [
      stateHash,
      await relay.find(stateHash, NOW),
      await relay.stateOfTicket(ticketHash, NOW),
    ]),
  );

const isFound = ({ end, isCollected }: Row): boolean => end === 'active' && !isCollected;

const expectedOf = (row: Row, isConfirmed = row.isConfirmed) => [
  row.stateHash,
  isFound(row) ? { sealed: row.sealed, browser: row.browser, isConfirmed } : null,
  isFound(row) ? row.stateHash : null,
];

describe('the entries of a relay', () => {
  it('are found while they count and were not collected', BOTH_DATABASES, async () => {
    expect(await contentsOf(await filled())).toEqual(ROWS.map((row) => expectedOf(row)));
  });

  it('are counted by site while they count, and in all unless a clock was ahead', async () => {
    const relay = await filled();
    for (const site of SITES)
      expect(await relay.countIn(site, NOW)).toEqual({
        all: ROWS.filter(({ end }) => end !== 'ahead').length,
        here: ROWS.filter(({ network, end }) => network === site && end === 'active').length,
      });
  });

  it('are collected one by one, each once', async () => {
    const relay = await filled();
    for (const row of ROWS)
      expect([row.stateHash, await relay.empty(row.stateHash)]).toEqual([row.stateHash, !row.isCollected]);
    expect(await relay.empty('unknown')).toBe(false);
    expect((await contentsOf(relay)).flatMap(([, ...found]) => found)).toEqual(
      ROWS.flatMap(() => [null, null]),
    );
    const [one, ...others] = ROWS.filter(isFound) as [Row, ...Row[]];
    const next = await filled();
    expect(await next.empty(one.stateHash)).toBe(true);
    for (const row of others) expect(await next.find(row.stateHash, NOW)).not.toBeNull();
  });

  it('are confirmed one by one, each once, unless collected', async () => {
    for (const row of ROWS.filter(({ end }) => end === 'active')) {
      const relay = await filled();
      const isOpen = !row.isCollected && !row.isConfirmed;
      expect([row.stateHash, await relay.confirm(row.ticketHash, true)]).toEqual([
        row.stateHash,
        isOpen ? 'confirmed' : 'gone',
      ]);
      expect(await relay.confirm(row.ticketHash, false)).toBe('gone');
      expect(await contentsOf(relay)).toEqual(
        ROWS.map((other) => expectedOf(other, other.isConfirmed || (isOpen && other === row))),
      );
    }
  });

  it('lose the response with the last wrong digits, and no other entry does', async () => {
    const relay = await filled();
    const row = ROWS.find((one) => isFound(one) && !one.isConfirmed) as Row;
    const wrong = Array.from({ length: LIMITS.relay.tries - 1 }, () => 'wrong');
    for (const confirmation of [...wrong, 'gone', 'gone'])
      expect(await relay.confirm(row.ticketHash, false)).toBe(confirmation);
    expect(await contentsOf(relay)).toEqual(
      ROWS.map((other) => (other === row ? [row.stateHash, null, null] : expectedOf(other))),
    );
  });
});

describe('the clients of a relay', () => {
  it('are those of a state that still wait', BOTH_DATABASES, async () => {
    const relay = await filled();
    for (const state of ['first', 'second'])
      expect(await relay.clientsOf(state, NOW)).toEqual(
        CLIENTS.filter(({ stateHash, end }) => stateHash === state && end === 'active').map(
          ({ network, appId }) => ({ network, appId }),
        ),
      );
    await relay.addClient({ ...(CLIENTS[0] as WaitingClient), appId: 'another' });
    expect(await relay.clientsOf('first', NOW)).not.toContainEqual(
      expect.objectContaining({ appId: 'another' }),
    );
  });

  it('are counted by site while they wait, and in all unless a clock was ahead', async () => {
    const relay = await filled();
    for (const site of SITES)
      expect(await relay.countClients(site, NOW)).toEqual({
        all: CLIENTS.filter(({ end }) => end !== 'ahead').length,
        here: CLIENTS.filter((client) => client.site === site && client.end === 'active').length,
      });
  });
});

it('what has expired is deleted, and nothing else', async () => {
  const relay = await filled();
  await relay.purgeExpired(NOW);
  const far = later(365 * 24 * 3_600_000);
  expect(await relay.countIn('site-a', far)).toMatchObject({
    all: ROWS.filter(({ end }) => end !== 'expired').length,
  });
  expect(await relay.countClients('site-a', far)).toMatchObject({
    all: CLIENTS.filter(({ end }) => end !== 'expired').length,
  });
  expect(await contentsOf(relay)).toEqual(ROWS.map((row) => expectedOf(row)));
});
