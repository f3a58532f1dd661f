import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks for a page at a fixed rate, in a process of its own, and prints how long each answer took, in milliseconds, as
 * JSON. The time counts from when the request was due: an answer that holds up the next one makes both late.
 */
const [url = '', perSecond = '100', seconds = '10'] = process.argv.slice(2);
// First in, first out: a connection that lay idle for long is closed by the server just when it is used again.
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
