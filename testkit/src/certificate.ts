import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
