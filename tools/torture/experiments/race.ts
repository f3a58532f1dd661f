import { experimentIn, newApp, publishFirst, startOn, versionsOf } from '../arena.ts';
import { bundleOf, type Client, clientOf } from '../client.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import { faultsOfPublished } from '../promises.ts';
import { findingsOf } from '../soundness.ts';

const UPLOADERS = 50;

/** The number of each response. */
function tally(answers: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  return counts;
}

async function oneRound(
  clients: readonly Client[],
  ref: { appId: string; version: string },
): Promise<string[]> {
  const bytes = bundleOf(ref);
  const uploads = Array.from({ length: UPLOADERS }, (_, n) =>
    (clients[n % clients.length] as Client).upload(bytes),
  );
  const answers = (await Promise.all(uploads)).map(({ status, body }) =>
    status === 201 ? `201 ${body.status}` : `${status} ${body.code}`,
  );
  const counts = tally(answers);
  const isRight =
    counts.get('201 published') === 1 && counts.get('409 version_not_greater') === UPLOADERS - 1;
  const said = [...counts].map(([answer, count]) => `${count} × ${answer}`).join(', ');
  return [
    ...(isRight ? [] : [`${UPLOADERS} uploads of ${ref.version} returned: ${said}`]),
    ...(await faultsOfPublished(clients[0] as Client, ref, bytes)),
  ];
}

async function run({ backend, count }: Setup): Promise<Outcome> {
  return experimentIn(backend, async ({ site, client, witness }) => {
    // Several processes can share a bucket, but not a folder.
    const second = backend.name === 's3' ? await startOn(site, 1) : null;
    try {
      const clients = second ? [client, witness.watch(clientOf(second.url))] : [client];
      const appId = newApp();
      await publishFirst(client, appId);
      const next = versionsOf(appId);
      const failures: string[] = [];
      for (let round = 1; round <= count; round += 1) {
        failures.push(...(await oneRound(clients, next())).map((fault) => `round ${round}: ${fault}`));
      }
      failures.push(...(await findingsOf(site, 'bytes')).faults);
      const processes = `${clients.length} process${second ? 'es' : ''}`;
      return { counts: `${count} rounds of ${UPLOADERS} uploads at once, ${processes}`, failures };
    } finally {
      await second?.stop();
    }
  });
}

/** Fifty concurrent uploads of one version: one 201, and `version_not_greater` for the others. `count` is the rounds. */
export const race: Experiment = { name: 'race', backends: ['sqlite', 'postgres', 's3'], count: 100, run };
