import { type Arena, newApp, startOn, versionsOf } from '../arena.ts';
import { type Witness, wellAfter } from '../witness.ts';

export type Seen = { faults: string[]; recoveredMs: number | null };
/** A fault, and whether and when the store recovered. */
export type Case = { name: string; needsMount?: boolean; run(arena: Arena, witness: Witness): Promise<Seen> };

export const dataOf = ({ site }: Arena): string => site.settings().SVC_DATA_DIR as string;

/** Starts a store that should fail. Returns its output; null when it started. */
export async function refusal({ site }: Arena): Promise<string | null> {
  try {
    await (await startOn(site)).stop();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Waits until a store publishes again; restarts it when its process has exited. */
export async function recovery(arena: Arena, witness: Witness): Promise<Seen> {
  if (arena.store.isGone()) await arena.restart();
  const appId = newApp();
  const next = versionsOf(appId);
  const recoveredMs = await wellAfter(async () => {
    const { status } = await arena.client.get('/readyz');
    return status === 200 && (await witness.publish(arena.client, next())) === 201;
  });
  const faults = recoveredMs === null ? ['the store does not publish again'] : [];
  return { faults: [...faults, ...(await witness.faults(arena.client))], recoveredMs };
}
