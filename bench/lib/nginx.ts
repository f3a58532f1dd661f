import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@svc/testkit';
import { whilePeerServes } from './peer.ts';

const isThere = (): boolean => spawnSync('nginx', ['-v'], { stdio: 'ignore' }).status === 0;
const isRoot = process.getuid?.() === 0;

/** Whether there is an nginx, after installing Debian's where it is missing and that is allowed. */
export function hasNginx(): boolean {
  if (isThere()) return true;
  if (!isRoot) return false;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // The package starts a server of its own where something starts services; it is none of ours and is not asked.
  spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'nginx-light'], { stdio: 'ignore', env });
  return isThere();
}

/** The kernel sends files from its cache; one process, as the store is one. */
const configOf = (folder: string, port: number): string => `
${isRoot ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events {}
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 100000;
  server { listen 127.0.0.1:${port}; root ${folder}; }
}`;

/** nginx over a folder, for as long as some work takes. @param work is told its address */
export async function whileNginxServes<T>(folder: string, work: (url: string) => Promise<T>): Promise<T> {
  const port = await freePort();
  const config = join(folder, 'nginx.conf');
  writeFileSync(config, configOf(folder, port));
  const args = ['-p', folder, '-e', join(folder, 'error.log'), '-c', config];
  const url = `http://127.0.0.1:${port}`;
  return whilePeerServes('nginx', args, url, () => work(url));
}
