import { experimentIn, newApp, startOn, uploadForReview } from '../arena.ts';
import { type Answer, bundleOf, type Client, clientOf, type Ref } from '../client.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import { faultsOfPublished, settledState } from '../promises.ts';

type Decide = { name: string; to: 'published' | 'rejected'; ask(client: Client, ref: Ref): Promise<Answer> };

const APPROVE: Decide = { name: 'approve', to: 'published', ask: (client, ref) => client.approve(ref) };
const REJECT: Decide = { name: 'reject', to: 'rejected', ask: (client, ref) => client.reject(ref) };
const WITHDRAW: Decide = { name: 'withdraw', to: 'rejected', ask: (client, ref) => client.withdraw(ref) };

const PAIRS = [
  [APPROVE, APPROVE],
  [APPROVE, REJECT],
  [REJECT, WITHDRAW],
] as const;

async function decideTwice(clients: readonly Client[], pair: readonly [Decide, Decide]): Promise<string[]> {
  const [first, second] = [clients[0] as Client, clients.at(-1) as Client];
  const ref = await uploadForReview(first, newApp());
  const answers = await Promise.all([pair[0].ask(first, ref), pair[1].ask(second, ref)]);
  const won = answers.findIndex(({ status }) => status === 200);
  const lost = answers[1 - won];
  const said = answers.map(({ status, body }) => `${status} ${body.code ?? body.status}`).join(' and ');
  if (won < 0 || lost?.status !== 409 || lost.body.code !== 'already_handled')
    return [`concurrent decisions returned ${said}`];
  const state = await settledState(first, ref);
  const { to } = pair[won] as Decide;
  if (state !== to) return [`${said}, and the version is ${state} instead of ${to}`];
  return to === 'published' ? faultsOfPublished(first, ref, bundleOf(ref)) : [];
}

async function run({ backend, count }: Setup): Promise<Outcome> {
  return experimentIn(backend, async ({ site, client, witness }) => {
    const other = backend.name === 's3' ? await startOn(site, 1) : null;
    try {
      const clients = other ? [client, witness.watch(clientOf(other.url))] : [client];
      const failures: string[] = [];
      for (const pair of PAIRS) {
        for (let round = 1; round <= count; round += 1) {
          const where = `${pair[0].name}/${pair[1].name}, round ${round}`;
          failures.push(...(await decideTwice(clients, pair)).map((fault) => `${where}: ${fault}`));
        }
      }
      return {
        counts: `${count} rounds each of ${PAIRS.length} pairs, ${clients.length} process(es)`,
        failures,
      };
    } finally {
      await other?.stop();
    }
  });
}

/** Two concurrent decisions on a version: one wins, and the other is refused. `count` is the rounds of each pair. */
export const decisions: Experiment = {
  name: 'decisions',
  backends: ['sqlite', 'postgres', 's3'],
  count: 100,
  run,
};
