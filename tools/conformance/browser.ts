/** A store that does not exist: this process replaces its relay. */
export const STORE = 'https://store.conformance-test.local';

const MAX_REDIRECTS = 5;

/** A pre-registered client of a scenario. */
export type Registered = { client_id?: string; client_secret?: string };

/** A browser whose user approves every sign-in, and the relay that it is redirected to. */
export function openBrowser() {
  const answers = new Map<string, Record<string, string>>();
  return {
    async open(address: string): Promise<void> {
      let url = new URL(address);
      for (let redirects = 0; url.origin !== STORE && redirects < MAX_REDIRECTS; redirects += 1) {
        const response = await fetch(url, { redirect: 'manual' });
        url = new URL(response.headers.get('location') ?? STORE, url);
      }
      const { state = '', ...answer } = Object.fromEntries(url.searchParams);
      answers.set(state, answer);
    },
    relay: (async (input) => {
      const state = new URL(String(input)).searchParams.get('state') ?? '';
      return Response.json(answers.get(state) ?? { pending: true });
    }) as typeof fetch,
  };
}
