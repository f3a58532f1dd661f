import { type Bundle, bundleFromJSON } from '@sigstore/bundle';
import type { X509Certificate } from '@sigstore/core';
import { toSignedEntity, VerificationError } from '@sigstore/verify';
import { type AttestationRefusal, type CiClaims, LIMITS, type VersionAttestation } from '@svc/contracts';
import { CI_EVENTS } from '@svc/contracts/vocabulary';
import { z } from 'zod';
import type { TrustedRoots } from './trusted-roots.ts';

/** The result of a verification: which workflow built the file, or why that is not proven. */
export type AttestationVerdict =
  | { ok: true; attestation: VersionAttestation }
  | { ok: false; refusal: AttestationRefusal; message: string };

class AttestationError extends Error {
  readonly refusal: AttestationRefusal;
  constructor(refusal: AttestationRefusal, message: string) {
    super(message);
    this.refusal = refusal;
  }
}

/** Both spellings of version 0.3 (sigstore_bundle.proto, `media_type`). */
const MEDIA_TYPES = [
  'application/vnd.dev.sigstore.bundle.v0.3+json',
  'application/vnd.dev.sigstore.bundle+json;version=0.3',
];

function bundleOf(text: string): Bundle {
  if (Buffer.byteLength(text) > LIMITS.attestation.bytes)
    throw new AttestationError('format', `The attestation has more than ${LIMITS.attestation.bytes} bytes.`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new AttestationError('format', 'The attestation is not JSON: send the file that the CI job wrote.');
  }
  const mediaType = (json as { mediaType?: unknown } | null)?.mediaType;
  if (!MEDIA_TYPES.includes(String(mediaType)))
    throw new AttestationError(
      'format',
      `The attestation is no Sigstore bundle: its mediaType must be ${MEDIA_TYPES[0]}.`,
    );
  return bundleFromJSON(json);
}

/** The kinds of errors of the library, which names them by a code. */
const REFUSALS: readonly (readonly [codes: RegExp, AttestationRefusal, message: string])[] = [
  [/^TLOG_|^TIMESTAMP_/, 'log', 'No trusted log or timestamp authority confirms the attestation'],
  [
    /^CERTIFICATE_|^PUBLIC_KEY_/,
    'certificate',
    'The attestation is not signed with a certificate of a trusted authority that was valid at the time',
  ],
  [/^SIGNATURE_/, 'signature', 'The signature of the attestation is not valid'],
];

/** Whatever else fails was not readable: the parsers of the library also throw errors of the language. */
function refusalOf(error: unknown): AttestationError {
  if (error instanceof AttestationError) return error;
  if (!(error instanceof VerificationError))
    return new AttestationError('format', 'The attestation is malformed.');
  const [, refusal, words] = REFUSALS.find(([codes]) => codes.test(error.code)) ?? [
    null,
    'format',
    'It fails',
  ];
  return new AttestationError(refusal as AttestationRefusal, `${words} (${error.message}).`);
}

/**
 * Checks the signature, its certificate and its log entries.
 * @param artifact the signed file, for a bundle that signs one itself
 * @returns the certificate of the signer
 * @throws VerificationError, or any error for a malformed bundle
 */
export function verifySigner(bundle: Bundle, roots: TrustedRoots, artifact?: Buffer): X509Certificate {
  const entity = toSignedEntity(bundle, artifact);
  let first: unknown;
  for (const root of roots) {
    try {
      root.verify(entity);
      if (entity.key.$case === 'certificate') return entity.key.certificate;
      throw new AttestationError(
        'certificate',
        'The attestation is signed with a key instead of a certificate.',
      );
    } catch (error) {
      first ??= error;
    }
  }
  throw first;
}

/** What is read of a statement (in-toto Statement v1, SLSA Provenance v1). */
const Statement = z.object({
  _type: z.literal('https://in-toto.io/Statement/v1'),
  predicateType: z.literal('https://slsa.dev/provenance/v1'),
  subject: z.array(z.object({ digest: z.object({ sha256: z.string().optional() }) })),
  predicate: z.object({
    buildDefinition: z.object({
      externalParameters: z.object({ workflow: z.object({ repository: z.string() }).optional() }),
    }),
  }),
});

function statementOf({ content }: Bundle): z.infer<typeof Statement> {
  if (content.$case !== 'dsseEnvelope')
    throw new AttestationError(
      'format',
      'The attestation has no DSSE envelope: it signs a file and says nothing of its build.',
    );
  const { payload, payloadType, signatures } = content.dsseEnvelope;
  const statement = Statement.safeParse(JSON.parse(payload.toString('utf8')));
  if (payloadType !== 'application/vnd.in-toto+json' || signatures.length !== 1 || !statement.success)
    throw new AttestationError(
      'format',
      'The attestation must be one in-toto statement v1 with SLSA provenance v1.',
    );
  return statement.data;
}

/** The extensions of a certificate of Fulcio that identify a build (github.com/sigstore/fulcio, docs/oid-info.md). */
const EXTENSIONS = {
  issuer: 8,
  repository: 12,
  commit: 13,
  ref: 14,
  repositoryId: 15,
  ownerId: 17,
  workflow: 18,
  trigger: 20,
  run: 21,
} as const;

type Build = Partial<Record<keyof typeof EXTENSIONS, string>>;

function buildOf(certificate: X509Certificate): Build {
  const read = (number: number): string | undefined => {
    const text = certificate
      .extension(`1.3.6.1.4.1.57264.1.${number}`)
      ?.valueObj.subs[0]?.value.toString('latin1');
    return text !== undefined && /^[!-~]{1,500}$/.test(text) ? text : undefined;
  };
  return Object.fromEntries(Object.entries(EXTENSIONS).map(([name, number]) => [name, read(number)]));
}

/** The same claims by which the store recognises the ID token of a job. */
const CLAIMS = {
  github: (
    path: string,
    workflow: string,
    { repositoryId, ownerId }: Record<'repositoryId' | 'ownerId', string>,
  ) => ({
    ...{ repository: path, repository_id: repositoryId, repository_owner_id: ownerId },
    workflow_ref: workflow.replace(/^[^/]+\//, ''),
  }),
  gitlab: (
    path: string,
    workflow: string,
    { repositoryId, ownerId }: Record<'repositoryId' | 'ownerId', string>,
  ) => ({
    ...{ project_path: path, project_id: repositoryId, namespace_id: ownerId },
    ci_config_ref_uri: workflow,
  }),
} as const satisfies Record<string, (path: string, workflow: string, ids: never) => CiClaims>;

function identityOf(build: Build): VersionAttestation {
  const {
    issuer,
    repository,
    repositoryId,
    ownerId,
    workflow,
    commit,
    ref = null,
    run,
    trigger = '',
  } = build;
  const at = URL.parse(repository ?? '');
  // https://HOST/PATH@REF, where PATH has a double slash on GitLab.
  const file = workflow?.split('@refs/')[0]?.replace(/^https:\/\//, '');
  const base = at && `${at.host}${at.pathname}`;
  const kind = file?.startsWith(`${base}/.github/workflows/`)
    ? 'github'
    : file?.startsWith(`${base}//`)
      ? 'gitlab'
      : null;
  if (!issuer || !at || !file || !repositoryId || !ownerId || !commit || kind === null)
    throw new AttestationError(
      'identity',
      'The certificate of the attestation does not name the repository, the workflow and the commit of a CI job.',
    );
  if (!CI_EVENTS[kind].includes(trigger))
    throw new AttestationError(
      'identity',
      `The job was started by ${trigger || 'an event that the certificate does not name'}, which others than the writers of the repository may do: attest in a job that one of ${CI_EVENTS[kind].join(', ')} starts.`,
    );
  const claims: CiClaims = CLAIMS[kind](at.pathname.slice(1), file, { repositoryId, ownerId });
  return {
    issuer,
    kind,
    claims,
    ref,
    commit,
    run: URL.parse(run ?? '')?.origin === at.origin ? (run ?? null) : null,
  };
}

function attested(text: string, sha256: string, roots: TrustedRoots): VersionAttestation {
  const bundle = bundleOf(text);
  const { subject, predicate } = statementOf(bundle);
  const build = buildOf(verifySigner(bundle, roots));
  const { workflow } = predicate.buildDefinition.externalParameters;
  if (workflow && workflow.repository !== build.repository)
    throw new AttestationError(
      'identity',
      'The statement of the attestation names another repository than the certificate of its signer.',
    );
  if (!subject.some(({ digest }) => digest.sha256 === sha256))
    throw new AttestationError(
      'subject',
      `The attestation is of another file: this bundle has the SHA-256 ${sha256}. Attest the file that svc pack writes, and publish that file.`,
    );
  return identityOf(build);
}

/**
 * Verifies which CI workflow built a file. It makes no requests, and its cost is bounded by the size of the attestation.
 * @param text the attestation, a Sigstore bundle v0.3 as JSON
 * @param sha256 computed SHA-256 of the file, in hex; never one that a sender claims
 */
export function verifyAttestation(text: string, sha256: string, roots: TrustedRoots): AttestationVerdict {
  try {
    return { ok: true, attestation: attested(text, sha256, roots) };
  } catch (error) {
    const { refusal, message } = refusalOf(error);
    return { ok: false, refusal, message };
  }
}
