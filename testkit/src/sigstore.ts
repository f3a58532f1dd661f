import { createHash, createPublicKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';

type Instance = {
  root: Record<string, unknown> &
    Record<'tlogs' | 'certificateAuthorities' | 'ctlogs', [object, ...object[]]>;
  certificates: Readonly<Record<SigstoreIdentity, string>>;
  signer: string;
  log: string;
  timestamped: { root: object; bundle: object; of: string };
};

/** Who a certificate of the instance is of: jobs of four workflows, one that others can start, one of GitLab, a person, and a job in no log. */
export type SigstoreIdentity =
  | 'ann'
  | 'eve'
  | 'test'
  | 'renamed'
  | 'started'
  | 'gitlab'
  | 'person'
  | 'unlogged';

/**
 * An instance of Sigstore for tests: its trusted root, certificates of 1 December 2026 with their key, and the key of its transparency log,
 * made with @sigstore/mock 0.13.0.
 */
export const SIGSTORE: Instance = JSON.parse(
  readFileSync(new URL('./sigstore-instance.json', import.meta.url), 'utf8'),
);

const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
const sha256Of = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();
const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64');

/** Enters a signed envelope into the log, as its first and only entry (Rekor v1, kind dsse 0.0.1). */
function logEntry(payload: Buffer, signature: string, certificate: string) {
  const keyId = sha256Of(createPublicKey(SIGSTORE.log).export({ type: 'spki', format: 'der' }));
  const pem = `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`;
  const hash = (value: Buffer) => ({ algorithm: 'sha256', value: value.toString('hex') });
  // The members of every object are in the order of canonical JSON.
  const body = base64(
    JSON.stringify({
      apiVersion: '0.0.1',
      kind: 'dsse',
      spec: {
        envelopeHash: hash(sha256Of(payload)),
        payloadHash: hash(sha256Of(payload)),
        signatures: [{ signature, verifier: base64(pem) }],
      },
    }),
  );
  const integratedTime = Date.parse('2026-12-01T12:00:30Z') / 1_000;
  const promised = { body, integratedTime, logID: keyId.toString('hex'), logIndex: 7 };
  const rootHash = sha256Of(Buffer.concat([Buffer.from([0]), Buffer.from(body, 'base64')]));
  const note = `rekor.test - 1\n1\n${rootHash.toString('base64')}\n`;
  const noteSignature = Buffer.concat([
    keyId.subarray(0, 4),
    sign('sha256', Buffer.from(note), SIGSTORE.log),
  ]);
  return {
    logIndex: '7',
    logId: { keyId: base64(keyId) },
    kindVersion: { kind: 'dsse', version: '0.0.1' },
    integratedTime: String(integratedTime),
    inclusionPromise: {
      signedEntryTimestamp: base64(sign('sha256', Buffer.from(JSON.stringify(promised)), SIGSTORE.log)),
    },
    inclusionProof: {
      ...{ logIndex: '0', treeSize: '1', hashes: [], rootHash: base64(rootHash) },
      checkpoint: { envelope: `${note}\n\u2014 rekor.test ${base64(noteSignature)}\n` },
    },
    canonicalizedBody: body,
  };
}

/**
 * The attestation of a file, as `actions/attest-build-provenance` writes it, by a workflow of the instance.
 * @param sha256 of the file, in hex
 * @param statement replaces fields of the statement
 */
export function attest(sha256: string, by: SigstoreIdentity = 'ann', statement: object = {}) {
  const payload = Buffer.from(
    JSON.stringify({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'notes.svc-app', digest: { sha256 } }],
      predicateType: 'https://slsa.dev/provenance/v1',
      predicate: { buildDefinition: { externalParameters: {} } },
      ...statement,
    }),
  );
  const signed = Buffer.concat([
    Buffer.from(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `),
    payload,
  ]);
  const signature = base64(sign('sha256', signed, SIGSTORE.signer));
  const certificate = SIGSTORE.certificates[by];
  return {
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: {
      certificate: { rawBytes: certificate },
      tlogEntries: [logEntry(payload, signature, certificate)],
    },
    dsseEnvelope: {
      payload: base64(payload),
      payloadType: PAYLOAD_TYPE,
      signatures: [{ sig: signature, keyid: '' }],
    },
  };
}
