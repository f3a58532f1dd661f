import { readFile } from 'node:fs/promises';
import type { TrustedRoots } from '@svc/attestation';
import { ApiError } from '../../platform/api-error.ts';
import type { Upload } from '../domain/versions/version-record.ts';

/** What an upload has of its attestation. */
export type Built = Pick<Upload, 'attestation' | 'attestationText'>;

/**
 * Verifies the attestation of a bundle.
 * @param sha256 the hash of the bundle as received
 * @throws ApiError invalid_attestation
 */
export type Attest = (bytes: Buffer, sha256: string) => Promise<Built>;

// Loaded with the first attestation: a store may never get one.
const library = () => import('@svc/attestation');

/**
 * Creates the verification of attestations.
 * @param file the trusted roots instead of that of the public Sigstore; null when the operator named none
 * @throws Error that says why the file cannot be used
 */
export async function openAttestations(file: string | null): Promise<Attest> {
  const chosen: TrustedRoots | null =
    file === null ? null : (await library()).readTrustedRoots(await readFile(file, 'utf8'));
  return async (bytes, sha256) => {
    const { sigstoreRoots, verifyAttestation } = await library();
    const attestationText = bytes.toString('utf8');
    const verdict = verifyAttestation(attestationText, sha256, chosen ?? sigstoreRoots());
    if (verdict.ok) return { attestation: verdict.attestation, attestationText };
    const { refusal, message } = verdict;
    const issue = { code: `attestation.${refusal}`, level: 'error', path: '', message } as const;
    throw new ApiError('invalid_attestation', message, { issues: [issue] });
  };
}
