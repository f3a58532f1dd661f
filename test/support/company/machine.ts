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
import type { Started } from './programs.ts';

type Pair = ReturnType<Authority['issue']>;

const ROOT = join(import.meta.dirname, '../../..');

/** The hosts of the docs, and their addresses: only loopback addresses exist in the namespace. The store has a proxy of its own. */
const HOSTS = {
  'apps.example.com': '10.20.0.2',
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

const sample = (file: string): string => readFileSync(join(ROOT, 'deploy', file), 'utf8');

/** A host of the company at an address, which nginx passes on to a port of this machine. */
const nginxHost = (name: string, address: string, port: number, tls: string) => `server {
  listen ${address}:443 ssl; server_name ${name}; ${tls} client_max_body_size 0;
  location / {
    proxy_pass http://127.0.0.1:${port}; proxy_set_header Host $host; proxy_set_header X-Forwarded-Proto https;
    proxy_http_version 1.1; proxy_buffering off; proxy_request_buffering off;
  }
}`;

/** Writes a configuration of nginx with servers into a folder of its own. @returns how it is started */
function nginx(folder: string, name: string, servers: readonly string[]): Started {
  const own = join(folder, name);
  mkdirSync(own);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (place) => `${place}_temp_path ${own}/${place};`,
  );
  const config = join(own, 'nginx.conf');
  writeFileSync(
    config,
    `user root; daemon off; worker_processes 1; pid ${own}/nginx.pid; error_log ${own}/nginx.log;
events {} http { access_log off; ${places.join(' ')}
${servers.join('\n')} }`,
  );
  return { name, file: 'nginx', words: ['-p', own, '-e', join(own, 'nginx.log'), '-c', config], env: {} };
}

/** The samples of `deploy/`, with their lines for https and the certificate of the store: how each proxy is started in front of two processes. */
const PROXIES = {
  nginx(folder: string, { cert, key }: Pair): Started {
    const [, https = ''] =
      /# For https: (listen 443 ssl;) ssl_certificate …/.exec(sample('nginx.conf')) ?? [];
    const tls = `${https.replace('443', `${HOSTS['apps.example.com']}:443`)} ssl_certificate ${cert}; ssl_certificate_key ${key};`;
    return nginx(folder, 'store-nginx', [
      sample('nginx.conf').replace(/listen 8080;/, `${tls} server_name apps.example.com;`),
    ]);
  },
  caddy(folder: string, { cert, key }: Pair): Started {
    const [, tls = ''] = /# .*: (tls \S+ \S+)$/m.exec(sample('Caddyfile')) ?? [];
    const own = sample('Caddyfile')
      .replace(
        /^:8080 \{$/m,
        `https://apps.example.com {\n${tls.replace(/ .*/, '')} ${cert} ${key}\nbind ${HOSTS['apps.example.com']}`,
      )
      .replace('store-1:8787 store-2:8787', '127.0.0.1:8787 127.0.0.1:8788')
      // Debian's Caddy is older than this option. The port for http is not this test's.
      .replace(/^\s*persist_config off$/m, 'auto_https disable_redirects');
    const config = join(folder, 'Caddyfile');
    writeFileSync(config, own);
    const words = ['run', '--adapter', 'caddyfile', '--config', config];
    return { name: 'caddy', file: 'caddy', words, env: { HOME: folder } };
  },
  haproxy(folder: string, { cert, key }: Pair): Started {
    const [, https = ''] = /# For https: (bind :443 ssl crt \S+ .*)$/m.exec(sample('haproxy.cfg')) ?? [];
    const pem = join(folder, 'haproxy.pem');
    writeFileSync(pem, Buffer.concat([readFileSync(cert), readFileSync(key)]), { mode: 0o600 });
    const bind = https.replace(/ crt \S+/, ` crt ${pem}`).replace(':443', `${HOSTS['apps.example.com']}:443`);
    const config = join(folder, 'haproxy.cfg');
    writeFileSync(config, sample('haproxy.cfg').replace(/bind :8080/, bind));
    return { name: 'haproxy', file: 'haproxy', words: ['-db', '-f', config], env: {} };
  },
};

/** A proxy of `deploy/` that this machine has. */
export type ProxyName = keyof typeof PROXIES;

/** How the proxy of the store is started, by the sample of the docs, with TLS. */
export const storeProxy = (name: ProxyName, folder: string, authority: Authority): Started =>
  PROXIES[name](folder, authority.issue('apps.example.com'));

/** Starts the database and the bucket. @returns how the proxy of the other hosts of the company is started, and the S3 server */
export async function startServices(
  folder: string,
  authority: Authority,
  password: string,
): Promise<{ others: Started; s3: S3Server }> {
  const [s3] = await Promise.all([startS3Server(), startDatabase(folder, authority, password)]);
  const host = (name: keyof typeof HOSTS, port: number) => {
    const { cert, key } = authority.issue(name);
    return nginxHost(name, HOSTS[name], port, `ssl_certificate ${cert}; ssl_certificate_key ${key};`);
  };
  const servers = [
    host('id.acme.example', PORTS.provider),
    host('s3.example.com', Number(new URL(s3.endpoint).port)),
    host('mcp.corp.example', PORTS.mcp),
  ];
  return { others: nginx(folder, 'nginx', servers), s3 };
}
