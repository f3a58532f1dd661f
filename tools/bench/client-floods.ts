import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultSystem } from '@svc/runtime';
import { createCalls, createEvents } from '@svc/runtime/parts';
import { listModels } from '../../apps/desktop/src/chat/list-models.ts';
import { commandApp } from '../../packages/runtime/src/connectors/connector-app.ts';
import type { Figure } from './lib/figure.ts';
import { inTempFolder, percentile, ROOT } from './lib/processes.ts';
import { took } from './lib/took.ts';

const MB = 1_000_000;
const PAUSE_MS = 5;
const IDLE_REQUESTS = 200;

const SERVER = join(ROOT, 'packages/runtime/test/support/stdio-server.ts');

/** A call whose program sends 200,000 progress notifications before its result. @returns the reports of the runtime */
async function callInHurry(folder: string): Promise<number> {
  const nothing = () => Promise.reject(new Error('This is not used.'));
  const calls = createCalls({
    system: defaultSystem,
    events: createEvents(() => undefined),
    ask: async () => ({ accepted: false }),
    tokens: {} as never,
    storage: { keep: nothing } as never,
    prepare: nothing,
    client: { name: 'bench', version: '1.0.0' },
    commands: { env: process.env, platform: process.platform },
  });
  let reports = 0;
  try {
    const command = { program: process.execPath, args: [SERVER, ''], folder, variables: [] };
    await calls.call(commandApp(command, 'Flood'), {
      ...{ tool: 'hurry', arguments: {}, project: 'p', chat: 'c' },
      onProgress() {
        reports += 1;
      },
    });
    return reports;
  } finally {
    await calls.stop();
  }
}

/** Latencies of a page of this process, in milliseconds, until a condition. */
async function latencies(isOver: (requests: number) => boolean): Promise<number[]> {
  const server = createServer((_, response) => response.end('page')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = () =>
    new Promise<void>((done, fail) => {
      get({ port, host: '127.0.0.1' }, (response) => response.resume().on('end', done)).on('error', fail);
    });
  const times: number[] = [];
  while (!isOver(times.length)) {
    times.push(await took(ask));
    await sleep(PAUSE_MS);
  }
  server.closeAllConnections();
  server.close();
  return times;
}

async function progressFlood(): Promise<Figure[]> {
  const idle = await latencies((requests) => requests >= IDLE_REQUESTS);
  let isOver = false;
  const flooded = latencies(() => isOver);
  const reports = await inTempFolder(callInHurry);
  isOver = true;
  const times = await flooded;
  const said = (list: readonly number[]) =>
    `p50 ${percentile(list, 0.5).toFixed(1)}, p99 ${percentile(list, 0.99).toFixed(1)} ms`;
  const measured = `${said(times)}, ${reports} reported; while idle ${said(idle)}`;
  const name = 'Response of a page of a client during 200,000 progress notifications of one program';
  return [
    { name: `${name}, median`, measured, value: percentile(times, 0.5), unit: ' ms', bound: { most: 20 } },
    { name: `${name}, p99`, measured, value: percentile(times, 0.99), unit: ' ms', bound: { most: 200 } },
  ];
}

/** A provider in a process of its own whose list of models has no end. */
const ENDLESS = `require('node:http').createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"data":[');
  const more = () => { while (response.write('{"id":"' + 'm'.repeat(60000) + '"},')); response.once('drain', more); };
  response.on('error', () => {});
  more();
}).listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;

async function modelList(): Promise<Figure> {
  const provider = spawn(process.execPath, ['-e', ENDLESS], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [port] = (await once(createInterface({ input: provider.stdout }), 'line')) as [string];
    const before = process.memoryUsage().rss;
    let most = before;
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss);
    }, 5);
    const server = { name: 'endless', baseUrl: `http://127.0.0.1:${port}`, key: null };
    const refusal = await listModels(server, new AbortController().signal).catch((error: Error) => error);
    clearInterval(timer);
    if (!(refusal instanceof Error)) throw new Error('An endless list was accepted.');
    return {
      name: 'Memory of a client that asks a provider for its models and gets a list without an end',
      measured: `refused at 4 MiB; ${(before / MB).toFixed(0)} MB before, ${(most / MB).toFixed(0)} MB at most`,
      value: (most - before) / MB,
      unit: ' MB',
      bound: { most: 60 },
    };
  } finally {
    provider.kill('SIGKILL');
  }
}

/** What others can make a client do: progress without end, and a list without end. */
export const clientFloods = async (): Promise<Figure[]> => [await modelList(), ...(await progressFlood())];
