import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A key and its self-signed certificate, as PEM. */
type Certificate = { key: string; cert: string };

const made = new Map<string, Certificate>();

/** The self-signed certificate of this worker for hosts, separated by commas: each takes a process to make. */
export function certificateFor(host: string): Certificate {
  const certificate = made.get(host) ?? makeCertificate(host);
  made.set(host, certificate);
  return certificate;
}

function makeCertificate(host: string): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'svc-certificate-'));
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const names = [
      '-subj',
      `/CN=test`,
      '-addext',
      `subjectAltName=${host.split(',').map((name) => `DNS:${name}`)}`,
    ];
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    execFileSync('openssl', ['req', ...kind, ...names, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Opens a real https server for a host, closed after the test, and counts its connections. */
export async function startHttps(host: string, answer: RequestListener) {
  const { key, cert } = certificateFor(host);
  const server = createServer({ key, cert }, answer);
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  const { port } = server.address() as AddressInfo;
  return { port, ca: cert, connections: () => connections };
}
