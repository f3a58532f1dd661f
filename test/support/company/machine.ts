import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type S3Server, startS3Server } from '@svc/testkit';
import { findOwner } from '@svc/testkit/postgres-files';
import { FAST_POSTGRES, startPostgres } from '@svc/testkit/postgres-server';
import pg from 'pg';
import type { Authority } from './authority.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The hosts of the docs, and their addresses: only loopback addresses exist in the namespace. */
const HOSTS = {
  'apps.example.com': '10.20.0.1',
  'id.acme.example': '10.20.0.1',
  's3.example.com': '10.20.0.1',
  'db.example.com': '127.0.0.1',
  'mail.example.com': '127.0.0.1',
  'mcp.corp.example': '10.20.0.7',
} as const;

/** Ports of this machine that nginx has https addresses for. */
export const PORTS = { provider: 9001, mcp: 9002 };

const run = (file: string, ...words: string[]): string => execFileSync(file, words, { encoding: 'utf8' });

/** Gives this namespace addresses, an /etc and a /var/lib of its own: nothing is reachable outside. */
export function isolate(folder: string, caFile: string): void {
  run('ip', 'link', 'set', 'lo', 'up');
  for (const address of new Set(Object.values(HOSTS)))
    if (address !== '127.0.0.1') run('ip', 'address', 'add', `${address}/32`, 'dev', 'lo');
  const etc = join(folder, 'etc');
  cpSync('/etc', etc, { recursive: true, verbatimSymlinks: true });
  run('mount', '--bind', etc, '/etc');
  run('mount', '-t', 'tmpfs', 'tmpfs', '/var/lib');
  appendFileSync(
    '/etc/hosts',
    Object.entries(HOSTS)
      .map(([name, address]) => `${address} ${name}\n`)
      .join(''),
  );
  writeFileSync('/etc/resolv.conf', '');
  mkdirSync('/etc/ssl/certs', { recursive: true });
  cpSync(caFile, '/etc/ssl/certs/corp.pem');
}

/** A PostgreSQL that only takes TLS, with the user and the database of the docs. */
async function startDatabase(folder: string, authority: Authority, password: string) {
  const { cert, key } = authority.issue('db.example.com');
  const { uid = 0, gid = 0 } = findOwner();
  chownSync(key, uid, gid);
  chmodSync(key, 0o600);
  chmodSync(folder, 0o711);
  const server = await startPostgres([
    ...FAST_POSTGRES,
    ...['port=5432', 'ssl=on', `ssl_cert_file=${cert}`, `ssl_key_file=${key}`],
  ]);
  const url = new URL(`${server.url}postgres`);
  url.port = '5432';
  const client = new pg.Client(url.href);
  await client.connect();
  await client.query(`create user svc password ${client.escapeLiteral(password)}`);
  await client.query('create database svc owner svc');
  await client.end();
}

/** The configuration of the docs for two processes, with the lines for https, and the other hosts of the company. */
function nginxConfig(folder: string, s3Port: number, authority: Authority): string {
  const tls = (host: string) => {
    const { cert, key } = authority.issue(host);
    return `ssl_certificate ${cert}; ssl_certificate_key ${key};`;
  };
  const own = readFileSync(join(ROOT, 'deploy/nginx.conf'), 'utf8');
  const [, https = ''] = /# For https: (listen 443 ssl;.*) ssl_certificate …/.exec(own) ?? [];
  const store = own.replace(
    /listen 8080;/,
    `${https} server_name apps.example.com; ${tls('apps.example.com')}`,
  );
  const host = (name: string, address: string, port: number) => `server {
    listen ${address}443 ssl; server_name ${name}; ${tls(name)} client_max_body_size 0;
    location / {
      proxy_pass http://127.0.0.1:${port}; proxy_set_header Host $host; proxy_set_header X-Forwarded-Proto https;
      proxy_http_version 1.1; proxy_buffering off; proxy_request_buffering off;
    }
  }`;
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `user root; daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
events {} http { access_log off; ${places.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
${store}
${host('id.acme.example', '', PORTS.provider)}
${host('s3.example.com', '', s3Port)}
${host('mcp.corp.example', '10.20.0.7:', PORTS.mcp)} }`;
}

/** Starts the database and the bucket, and writes the configuration of nginx. @returns the path of that, and the S3 server */
export async function startServices(
  folder: string,
  authority: Authority,
  password: string,
): Promise<{ nginx: string; s3: S3Server }> {
  const [s3] = await Promise.all([startS3Server(), startDatabase(folder, authority, password)]);
  const nginx = join(folder, 'nginx.conf');
  writeFileSync(nginx, nginxConfig(folder, Number(new URL(s3.endpoint).port), authority));
  return { nginx, s3 };
}
