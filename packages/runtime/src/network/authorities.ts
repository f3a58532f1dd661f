import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import tls from 'node:tls';

const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

/** The certificates in a PEM file; what is between them is no part of any. @throws for one that is not complete, or not readable */
function certificatesIn(pem: string): string[] {
  return pem
    .split(BEGIN)
    .slice(1)
    .map((part) => {
      const certificate = BEGIN + part.slice(0, part.indexOf(END) + END.length);
      return new X509Certificate(certificate).toString();
    });
}

/**
 * Reads a PEM file with certificate authorities. Node itself ignores a file without certificates, and every certificate after a broken one.
 * @throws TypeError with the rest of a sentence that begins with the name of the setting
 */
export function readAuthorities(file: string): string[] {
  let pem: string;
  try {
    pem = readFileSync(file, 'utf8');
  } catch (error) {
    throw new TypeError(`is ${file}, which cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  let certificates: string[];
  try {
    certificates = certificatesIn(pem);
  } catch {
    throw new TypeError(`is ${file}, which has a certificate that is damaged`);
  }
  if (certificates.length > 0) return certificates;
  throw new TypeError(`is ${file}, which has no certificate as PEM (${BEGIN})`);
}

/**
 * Trusts certificate authorities in this process, in addition to those that it trusts already: of Node, and of `NODE_EXTRA_CA_CERTS`. All
 * connections that are opened later use them: requests, databases, buckets and mail servers.
 */
export function trustAuthorities(certificates: readonly string[]): void {
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...certificates]);
}
