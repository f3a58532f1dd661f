import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'pipe' });

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

const DAYS = ['-days', '2'];

/** Creates the certificate authority of a company in a folder. @returns its certificate, as a PEM file */
export function createAuthority(folder: string): string {
  const [cert, key] = [join(folder, 'ca.pem'), join(folder, 'ca.key')];
  openssl('req', '-x509', ...NEW_KEY, ...DAYS, '-subj', '/CN=Root of Example', '-keyout', key, '-out', cert);
  return cert;
}

/**
 * Opens a certificate authority.
 * @param folder where it writes the certificates that it issues
 * @param caFolder the folder of the authority
 */
export function openAuthority(folder: string, caFolder: string) {
  mkdirSync(folder, { recursive: true });
  const by = ['-CA', join(caFolder, 'ca.pem'), '-CAkey', join(caFolder, 'ca.key')];
  return {
    /** Issues a certificate for a host. @returns the PEM files of the certificate and of its key */
    issue(host: string): { cert: string; key: string } {
      const at = (extension: string) => join(folder, `${host}.${extension}`);
      const [cert, key, request, names] = [at('pem'), at('key'), at('csr'), at('ext')];
      openssl('req', ...NEW_KEY, '-subj', `/CN=${host}`, '-keyout', key, '-out', request);
      writeFileSync(names, `subjectAltName=DNS:${host}\n`);
      openssl('x509', '-req', ...DAYS, ...by, '-extfile', names, '-in', request, '-out', cert);
      return { cert, key };
    },
  };
}

export type Authority = ReturnType<typeof openAuthority>;

/** The contents of a certificate and its key. */
export const readPair = ({ cert, key }: { cert: string; key: string }) => ({
  cert: readFileSync(cert),
  key: readFileSync(key),
});
