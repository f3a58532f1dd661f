import autocannon from 'autocannon';
import { median } from './processes.ts';

const ROUNDS = 5;
const SECONDS = 4;

/** Responses per second over 20 connections. */
async function requestsPerSecond(url: string): Promise<number> {
  const { requests, non2xx, errors } = await autocannon({ url, connections: 20, duration: SECONDS });
  if (non2xx + errors > 0)
    throw new Error(`${url}: ${non2xx} responses were not 2xx, ${errors} requests failed`);
  return requests.average;
}

/** Alternates load on two servers, so that noise affects both. Returns the medians, also of the ratio. */
export async function compareRequests(urls: { ours: string; floor: string }) {
  const rounds: { ours: number; floor: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const floor = await requestsPerSecond(urls.floor);
    rounds.push({ floor, ours: await requestsPerSecond(urls.ours) });
  }
  return {
    ours: median(rounds.map(({ ours }) => ours)),
    floor: median(rounds.map(({ floor }) => floor)),
    ratio: median(rounds.map(({ ours, floor }) => ours / floor)),
  };
}
