import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@svc/testkit';
import { whilePeerServes } from './peer.ts';

const isThere = (): boolean => spawnSync('nginx', ['-v'], { stdio: 'ignore' }).status === 0;
const isRoot = process.getuid?.() === 0;

/** Whether nginx is available; installs Debian's package where it is missing and installation is allowed. */
export function hasNginx(): boolean {
  if (isThere()) return true;
  if (!isRoot) return false;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // The package may start its own server as a service, which is not used.
  spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'nginx-light'], { stdio: 'ignore', env });
  return isThere();
}

/** Directives of nginx for its server, and for `http` around it. */
type Served = { server: string; http?: string };

/** sendfile from the page cache; one process, like the store. */
const configOf = (folder: string, port: number, { server, http = '' }: Served): string => `
${isRoot ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 4096; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 100000;
  ${http}
  server { listen 127.0.0.1:${port}; ${server} }
}`;

/** Runs work with nginx. @param folder of its files; served itself by default @param work called with its URL */
export async function whileNginxServes<T>(
  folder: string,
  work: (url: string) => Promise<T>,
  served: Served = { server: `root ${folder};` },
): Promise<T> {
  const port = await freePort();
  const config = join(folder, 'nginx.conf');
  writeFileSync(config, configOf(folder, port, served));
  const args = ['-p', folder, '-e', join(folder, 'error.log'), '-c', config];
  const url = `http://127.0.0.1:${port}`;
  return whilePeerServes('nginx', args, url, () => work(url));
}
