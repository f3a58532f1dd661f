import { RelayCallback, RelayQuery, type RelayResult } from '@svc/contracts';
import { serveHere } from '@svc/testkit/http-server';

const PENDING: RelayResult = { pending: true };

/** The answer in the query of the callback; null when the query is invalid. */
function answerIn(query: unknown): { state: string; answer: RelayResult } | null {
  const { data } = RelayCallback.safeParse(query);
  if (!data) return null;
  const { state, ...answer } = data;
  return { state, answer: JSON.parse(JSON.stringify(answer)) };
}

/**
 * The relay of a store, as a server: stores the first answer for a state, and returns it once.
 * @returns its base URL; `park`, which stores an answer without a browser; the number of polls
 */
export async function relayServer() {
  const parked = new Map<string, RelayResult>();
  let polls = 0;
  const park = (query: unknown): number => {
    const brought = answerIn(query);
    if (brought && !parked.has(brought.state)) parked.set(brought.state, brought.answer);
    return brought ? 200 : 400;
  };
  const collect = (query: unknown): RelayResult | null => {
    polls += 1;
    const { data } = RelayQuery.safeParse(query);
    if (!data) return null;
    const answer = parked.get(data.state) ?? PENDING;
    if (answer !== PENDING) parked.set(data.state, PENDING);
    return answer;
  };
  const url = await serveHere((own) => (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', own);
    const query = Object.fromEntries(searchParams);
    if (pathname === '/apps/oauth/callback') {
      response.statusCode = park(query);
      return void response.end('You can close this tab');
    }
    const answer = collect(query);
    response.statusCode = answer ? 200 : 400;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  return { url, park, polls: () => polls };
}
