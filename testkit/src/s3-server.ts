import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { freePort } from './free-port.ts';
import { needs } from './needs.ts';
import { hasProgram } from './programs.ts';

const ACCESS_KEY = 'svc-tests';
const BUCKET = 'apps';
const START_MS = 45_000;

/** Programs of Ceph: its gateway implements S3, and needs a monitor and an object store daemon. */
export const hasS3Server = (): boolean => ['radosgw', 'ceph-mon', 'ceph-osd'].every(hasProgram);

/** Options of tests that need an S3 server. */
export const needsS3 = () => needs(hasS3Server(), 'needs radosgw, ceph-mon and ceph-osd');

/** An S3 server for one test. */
export type S3Server = {
  endpoint: string;
  /** An empty bucket. */
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Stops the service immediately, without losing its objects. */
  pause(): Promise<void>;
  /** Starts the service again at the same URL; does nothing if it runs. */
  resume(): Promise<void>;
  /** Stops all processes and removes their files. */
  stop(): Promise<void>;
};

/** A cluster of one monitor and one in-memory object store, without replication and without authentication between them. */
const configOf = (folder: string, fsid: string, monitor: string): string => `[global]
fsid = ${fsid}
mon_host = ${monitor}
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
# The gateway would ask for encryption, which needs keys.
ms_mon_client_mode = crc
run_dir = ${folder}
keyring = ${folder}/keyring
mon_data = ${folder}/mon
osd_data = ${folder}/osd
rgw_data = ${folder}/rgw
admin_socket =
pid_file =
log_file =
mon_cluster_log_file =
mon_data_avail_crit = 0
# Each pool is a vote among the monitors, of which there is one: nothing to wait for.
paxos_propose_interval = 0.01
paxos_min_wait = 0.001
osd_objectstore = memstore
memstore_device_bytes = 1073741824
osd_crush_chooseleaf_type = 0
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
mon_allow_pool_size_one = true
rgw_rados_pool_pg_num_min = 1
`;

/** The programs of one cluster. Each logs to a file in the folder. */
function programsIn(folder: string, niceness: number) {
  const running = new Set<ChildProcess>();
  const config = ['-c', join(folder, 'ceph.conf')];
  const logOf = (name: string): string => join(folder, `${name}.log`);
  const killAll = () => {
    for (const child of running) child.kill('SIGKILL');
  };
  // An aborted run leaves no servers running.
  process.once('exit', killAll);

  /** Runs a program and waits until it exits. */
  function run(program: string, ...args: string[]): void {
    const { status, stderr, error } = spawnSync(program, [...args, ...config], {
      timeout: START_MS,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? stderr.slice(-500)}`);
  }

  /** Starts a background program. */
  function start(program: string, ...args: string[]): ChildProcess {
    const log = openSync(logOf(program), 'a');
    const child = spawn(program, ['-f', ...args, ...config], { stdio: ['ignore', log, log] });
    closeSync(log);
    // Set before it starts threads, which inherit it.
    if (niceness > 0 && child.pid !== undefined) setPriority(child.pid, niceness);
    running.add(child);
    child.once('exit', () => running.delete(child));
    return child;
  }

  async function end(child: ChildProcess): Promise<void> {
    if (!running.has(child)) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  return {
    run,
    start,
    end,
    isRunning: (child: ChildProcess): boolean => running.has(child),
    tail: (program: string): string => readFileSync(logOf(program), 'utf8').slice(-500),
    async endAll() {
      process.off('exit', killAll);
      await Promise.all(Array.from(running, end));
    },
  };
}

type Programs = ReturnType<typeof programsIn>;

function startCluster({ run, start }: Programs, folder: string, port: number): void {
  const fsid = randomUUID();
  const monitor = `v2:127.0.0.1:${port}/0`;
  for (const part of ['mon', 'osd', 'rgw']) mkdirSync(join(folder, part));
  writeFileSync(join(folder, 'ceph.conf'), configOf(folder, fsid, monitor));
  writeFileSync(join(folder, 'keyring'), '');
  const map = join(folder, 'monmap');
  run('monmaptool', '--create', '--fsid', fsid, '--addv', 'a', `[${monitor}]`, map);
  run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map, '--keyring', join(folder, 'keyring'));
  start('ceph-mon', '-i', 'a');
  const osd = randomUUID();
  run('ceph', '--connect-timeout', '30', 'osd', 'new', osd);
  run('ceph-osd', '--mkfs', '-i', '0', '--osd-uuid', osd);
  start('ceph-osd', '-i', '0');
}

async function startGateway({ start, isRunning, tail }: Programs, port: number): Promise<ChildProcess> {
  const gateway = start(
    'radosgw',
    '-n',
    'client.admin',
    '--rgw-frontends',
    `beast endpoint=127.0.0.1:${port}`,
  );
  const deadline = performance.now() + START_MS;
  while (performance.now() < deadline && isRunning(gateway)) {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.ok) return gateway;
    await sleep(100);
  }
  throw new Error(`radosgw did not come up: ${tail('radosgw')}`);
}

async function makeBucket(endpoint: string, secretAccessKey: string): Promise<void> {
  const client = new AwsClient({
    accessKeyId: ACCESS_KEY,
    secretAccessKey,
    service: 's3',
    region: 'us-east-1',
  });
  const { status } = await client.fetch(`${endpoint}/${BUCKET}`, { method: 'PUT' });
  if (status !== 200) throw new Error(`The S3 server answered ${status} to a new bucket.`);
}

/**
 * Starts a real S3 server on a free port, with one user and one empty bucket. It takes some seconds.
 * @param niceness nice value of its processes, 0 to 19
 * @throws when it does not start
 */
export async function startS3Server({ niceness = 0 } = {}): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-s3-'));
  const programs = programsIn(folder, niceness);
  const stop = async () => {
    await programs.endAll();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const [monitorPort, port] = await Promise.all([freePort(), freePort()]);
    const secretAccessKey = randomUUID();
    startCluster(programs, folder, monitorPort);
    const keys = ['--access-key', ACCESS_KEY, '--secret-key', secretAccessKey];
    programs.run('radosgw-admin', 'user', 'create', '--uid', 'tests', '--display-name', 'Tests', ...keys);
    let gateway = await startGateway(programs, port);
    const endpoint = `http://127.0.0.1:${port}`;
    await makeBucket(endpoint, secretAccessKey);
    return {
      endpoint,
      bucket: BUCKET,
      accessKeyId: ACCESS_KEY,
      secretAccessKey,
      pause: () => programs.end(gateway),
      async resume() {
        if (!programs.isRunning(gateway)) gateway = await startGateway(programs, port);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Copies all objects of a bucket into a new one, as a replication does. Returns their number.
 * @throws when the server refuses a request
 */
export async function copyBucket(server: S3Server, from: string, to: string): Promise<number> {
  const { endpoint, accessKeyId, secretAccessKey } = server;
  const client = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region: 'us-east-1' });
  const send = async (path: string, init: RequestInit = {}) => {
    const answer = await client.fetch(`${endpoint}/${path}`, init);
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return answer;
  };
  await send(to, { method: 'PUT' });
  const listed = await (await send(`${from}?list-type=2`)).text();
  const keys = Array.from(listed.matchAll(/<Key>([^<]+)<\/Key>/g), ([, key = '']) => key);
  for (const key of keys) {
    const body = await (await send(`${from}/${key}`)).arrayBuffer();
    await send(`${to}/${key}`, { method: 'PUT', body });
  }
  return keys.length;
}
