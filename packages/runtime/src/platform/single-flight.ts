import { orAborted } from './within-time.ts';

/** Runs work under a key, or joins the callers who already wait for it. */
export type SingleFlight<T> = (
  key: string,
  work: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
) => Promise<T>;

/** One run of the work, with the number of callers who wait for it. */
type Flight<T> = { result: Promise<T>; waiting: number; end: AbortController };

/**
 * Creates a single flight: concurrent callers with the same key share one run of the work. The first caller starts it. A caller whose
 * signal aborts leaves; the work is aborted when no caller is left waiting. A caller without a signal waits to the end.
 */
export function createSingleFlight<T>(): SingleFlight<T> {
  const flights = new Map<string, Flight<T>>();

  /** Aborted work may finish after new work has started under its key: it must not delete that entry. */
  function remove(key: string, flight: Flight<T>): void {
    if (flights.get(key) === flight) flights.delete(key);
  }

  function start(key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const end = new AbortController();
    const flight: Flight<T> = { result: work(end.signal), waiting: 0, end };
    flights.set(key, flight);
    const over = () => remove(key, flight);
    flight.result.then(over, over);
    return flight;
  }

  return async (key, work, signal) => {
    signal?.throwIfAborted();
    const flight = flights.get(key) ?? start(key, work);
    flight.waiting += 1;
    try {
      return await (signal ? orAborted(signal, flight.result) : flight.result);
    } finally {
      flight.waiting -= 1;
      if (flight.waiting === 0) {
        // The next caller starts new work, and does not join what is being aborted.
        remove(key, flight);
        flight.end.abort(signal?.reason);
      }
    }
  };
}
