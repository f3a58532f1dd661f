import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Requests a page at a fixed rate in its own process, and prints the latencies in milliseconds as JSON. Latency counts from the due time
 * of a request, so a response that delays the next request makes both late.
 */
const [url = '', perSecond = '100', seconds = '10'] = process.argv.slice(2);
// First in, first out: the server may close a long-idle connection just when it is reused.
const agent = new Agent({ keepAlive: true, maxSockets: 64, scheduling: 'fifo' });

const readPage = (): Promise<void> =>
  new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`${url} answered ${response.statusCode}`));
      });
    }).on('error', reject);
  });

const count = Number(perSecond) * Number(seconds);
const began = performance.now();
const times: Promise<number>[] = [];
for (let n = 0; n < count; n += 1) {
  const due = began + (n * 1000) / Number(perSecond);
  while (performance.now() < due) await sleep(1);
  times.push(readPage().then(() => performance.now() - due));
}
process.stdout.write(JSON.stringify(await Promise.all(times)));
