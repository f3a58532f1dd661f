import { type Answer, type Client, nameOf, type Ref } from './client.ts';

/** The last acknowledged state of a version, and its bytes. */
type Known = { ref: Ref; bytes: Uint8Array; state: 'published' | 'in_review' | 'yanked' };

/** Records everything that a store acknowledged to clients. */
export function createAcknowledged() {
  const known = new Map<string, Known>();

  /** Updates a version. A request without a response, or with an error, may have happened: its version is dropped. */
  function record(ref: Ref, { status }: Answer, state: Known['state'] | null): void {
    const version = known.get(nameOf(ref));
    if (!version) return;
    if (status === 200 && state !== null) version.state = state;
    else if (status === 200 || status === 0 || status >= 500) known.delete(nameOf(ref));
  }

  const recording =
    (request: (ref: Ref) => Promise<Answer>, state: Known['state'] | null) =>
    async (ref: Ref): Promise<Answer> => {
      const answer = await request(ref);
      record(ref, answer, state);
      return answer;
    };

  return {
    /** The versions in a state. */
    of: (state: Known['state']): Known[] => [...known.values()].filter((version) => version.state === state),
    /** Wraps a client, and records everything acknowledged to it. */
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
      approve: recording(client.approve, 'published'),
      reject: recording(client.reject, null),
      withdraw: recording(client.withdraw, null),
      yank: recording(client.yank, 'yanked'),
    }),
  };
}
