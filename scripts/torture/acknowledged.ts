import { type Answer, type Client, nameOf, type Ref } from './client.ts';

/** What was acknowledged of a version last, with its bytes. */
type Known = { ref: Ref; bytes: Uint8Array; state: 'published' | 'in_review' | 'yanked' };

/** Remembers all that a store acknowledged to clients. */
export function createAcknowledged() {
  const known = new Map<string, Known>();

  /** Something that was not answered, or with an error, may have happened: the version is remembered no more. */
  function note(ref: Ref, { status }: Answer, state: Known['state'] | null): void {
    const held = known.get(nameOf(ref));
    if (!held) return;
    if (status === 200 && state !== null) held.state = state;
    else if (status === 200 || status === 0 || status >= 500) known.delete(nameOf(ref));
  }

  const noting =
    (ask: (ref: Ref) => Promise<Answer>, state: Known['state'] | null) =>
    async (ref: Ref): Promise<Answer> => {
      const answer = await ask(ref);
      note(ref, answer, state);
      return answer;
    };

  return {
    /** The versions that stand there. */
    of: (state: Known['state']): Known[] => [...known.values()].filter((one) => one.state === state),
    /** The same client, of which all that is acknowledged is remembered. */
    watch: (client: Client): Client => ({
      ...client,
      async upload(bytes) {
        const answer = await client.upload(bytes);
        const { appId, version, status } = answer.body;
        if (answer.status === 201) {
          const state = status === 'in_review' ? status : 'published';
          known.set(nameOf({ appId, version }), { ref: { appId, version }, bytes, state });
        }
        return answer;
      },
      approve: noting(client.approve, 'published'),
      reject: noting(client.reject, null),
      withdraw: noting(client.withdraw, null),
      yank: noting(client.yank, 'yanked'),
    }),
  };
}
