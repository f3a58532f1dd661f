import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { bundleFromJSON } from '@sigstore/bundle';
import { LIMITS } from '@svc/contracts';
import { attest, SIGSTORE, type SigstoreIdentity } from '@svc/testkit/sigstore';
import { describe, expect, it } from 'vitest';
import { readTrustedRoots, sigstoreRoots, type TrustedRoots, verifyAttestation } from '../src/index.ts';
import { verifySigner } from '../src/verify-attestation.ts';

const SHA256 = 'ab'.repeat(32);
const ROOTS = readTrustedRoots(JSON.stringify(SIGSTORE.root));

const verdictOf = (
  bundle: unknown,
  { sha256 = SHA256, roots = ROOTS }: { sha256?: string; roots?: TrustedRoots } = {},
) => verifyAttestation(typeof bundle === 'string' ? bundle : JSON.stringify(bundle), sha256, roots);

const refusalOf = (...given: Parameters<typeof verdictOf>) => {
  const verdict = verdictOf(...given);
  return verdict.ok ? 'accepted' : verdict.refusal;
};

/** The root with the validity of one of its authorities or logs changed. */
const rootsUntil = (end: string, of: 'certificateAuthorities' | 'tlogs' | 'ctlogs') => {
  const [first] = structuredClone(SIGSTORE.root)[of] as [
    { validFor?: object; publicKey?: { validFor: object } },
  ];
  Object.assign(first.publicKey?.validFor ?? first.validFor ?? {}, { end });
  return readTrustedRoots(JSON.stringify({ ...SIGSTORE.root, [of]: [first] }));
};

describe('an attestation', () => {
  it('proves which workflow built a file', () => {
    expect(verdictOf(attest(SHA256))).toEqual({
      ok: true,
      attestation: {
        issuer: 'https://token.actions.githubusercontent.com',
        kind: 'github',
        claims: {
          repository: 'ann/notes',
          repository_id: '4711',
          repository_owner_id: '42',
          workflow_ref: 'ann/notes/.github/workflows/release.yml',
        },
        ref: 'refs/tags/v1',
        commit: 'c'.repeat(40),
        run: 'https://github.com/ann/notes/actions/runs/1/attempts/1',
      },
    });
    expect(verdictOf(attest(SHA256, 'gitlab'))).toMatchObject({
      attestation: {
        kind: 'gitlab',
        claims: {
          project_path: 'ann/notes',
          project_id: '11',
          namespace_id: '12',
          ci_config_ref_uri: 'gitlab.com/ann/notes//.gitlab-ci.yml',
        },
        run: 'https://gitlab.com/ann/notes/-/jobs/9',
      },
    });
  });

  it('of an instance without logs needs the timestamp of its authority', () => {
    const { root, bundle, of } = structuredClone(SIGSTORE.timestamped) as typeof SIGSTORE.timestamped & {
      bundle: { verificationMaterial: { timestampVerificationData?: object } };
    };
    const given = {
      sha256: createHash('sha256').update(of).digest('hex'),
      roots: readTrustedRoots(`${JSON.stringify(SIGSTORE.root)}\n${JSON.stringify(root)}\n`),
    };
    expect(refusalOf(bundle, given)).toBe('accepted');
    expect(refusalOf(bundle, { ...given, roots: ROOTS })).toBe('log');
    delete bundle.verificationMaterial.timestampVerificationData;
    expect(refusalOf(bundle, given)).toBe('log');
  });

  it('is refused with a code that says why', () => {
    const good = attest(SHA256);
    const { verificationMaterial: material, dsseEnvelope } = good;
    const [entry] = material.tlogEntries;
    const sig = dsseEnvelope.signatures[0]?.sig;
    const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
    const nested = Buffer.from('30820fff'.repeat(6_000), 'hex').toString('base64');
    const statement = { subject: [{ digest: { sha256: SHA256 } }] };
    const cases: [what: string, refusal: string, bundle: unknown, given?: object][] = [
      ['another file', 'subject', good, { sha256: 'cd'.repeat(32) }],
      ['too large', 'format', `${JSON.stringify(good)}${' '.repeat(LIMITS.attestation.bytes)}`],
      ['too deep', 'format', deep],
      [
        'a deep predicate',
        'accepted',
        attest(SHA256, 'ann', { ...statement, extra: JSON.parse('['.repeat(99) + ']'.repeat(99)) }),
      ],
      ['not JSON', 'format', '{'],
      ['not an object', 'format', 'null'],
      ['another version', 'format', { ...good, mediaType: 'application/vnd.dev.sigstore.bundle.v0.4+json' }],
      [
        'an older version',
        'format',
        { ...good, mediaType: 'application/vnd.dev.sigstore.bundle+json;version=0.2' },
      ],
      ['no material', 'format', { ...good, verificationMaterial: {} }],
      [
        'a deep certificate',
        'format',
        { ...good, verificationMaterial: { ...material, certificate: { rawBytes: nested } } },
      ],
      [
        'no envelope',
        'format',
        {
          ...good,
          dsseEnvelope: undefined,
          messageSignature: { messageDigest: { algorithm: 'SHA2_256', digest: 'AA==' }, signature: 'AA==' },
        },
      ],
      ['another statement', 'format', attest(SHA256, 'ann', { _type: 'https://in-toto.io/Statement/v0.1' })],
      [
        'another predicate',
        'format',
        attest(SHA256, 'ann', { predicateType: 'https://slsa.dev/verification_summary/v1' }),
      ],
      [
        'another payload type',
        'format',
        { ...good, dsseEnvelope: { ...dsseEnvelope, payloadType: 'application/json' } },
      ],
      [
        'two signatures',
        'format',
        { ...good, dsseEnvelope: { ...dsseEnvelope, signatures: [{ sig }, { sig }] } },
      ],
      ['another root', 'certificate', good, { roots: sigstoreRoots() }],
      [
        'a root that ended before',
        'certificate',
        good,
        { roots: rootsUntil('2026-11-01T00:00:00Z', 'certificateAuthorities') },
      ],
      [
        'a certificate log that ended before',
        'certificate',
        good,
        { roots: rootsUntil('2026-11-01T00:00:00Z', 'ctlogs') },
      ],
      ['no certificate log', 'certificate', attest(SHA256, 'unlogged')],
      ['a log that ended before', 'log', good, { roots: rootsUntil('2026-11-01T00:00:00Z', 'tlogs') }],
      ['no log entry', 'log', { ...good, verificationMaterial: { ...material, tlogEntries: [] } }],
      [
        'a log entry of another signature',
        'log',
        {
          ...good,
          verificationMaterial: { ...material, tlogEntries: attest(SHA256).verificationMaterial.tlogEntries },
        },
      ],
      [
        'the same log entry twice',
        'log',
        { ...good, verificationMaterial: { ...material, tlogEntries: [entry, entry] } },
      ],
      [
        'a time without a promise',
        'log',
        {
          ...good,
          verificationMaterial: { ...material, tlogEntries: [{ ...entry, integratedTime: '1796126431' }] },
        },
      ],
      [
        'the payload of another',
        'log',
        { ...good, dsseEnvelope: { ...dsseEnvelope, payload: attest('cd'.repeat(32)).dsseEnvelope.payload } },
      ],
      ['a person', 'identity', attest(SHA256, 'person')],
      ['a job that others start', 'identity', attest(SHA256, 'started')],
      [
        'a statement about another repository',
        'identity',
        attest(SHA256, 'ann', {
          predicate: {
            buildDefinition: {
              externalParameters: { workflow: { repository: 'https://github.com/eve/notes' } },
            },
          },
        }),
      ],
    ];
    const got = cases.map(([what, , bundle, given]) => [what, refusalOf(bundle, given)]);
    expect(got).toEqual(cases.map(([what, refusal]) => [what, refusal]));
  });

  it('is refused with the same entry of a log many times', () => {
    const { verificationMaterial: material, ...good } = attest(SHA256);
    const tlogEntries = Array.from({ length: 12 }, () => material.tlogEntries[0]);
    expect(refusalOf({ ...good, verificationMaterial: { ...material, tlogEntries } })).toBe('log');
  });
});

describe('a trusted root', () => {
  it('says since when its logs and authorities are valid, and is refused without', () => {
    const { certificateAuthorities, tlogs } = SIGSTORE.root;
    const withRoot = (more: object) => () => readTrustedRoots(JSON.stringify({ ...SIGSTORE.root, ...more }));
    expect(withRoot({ certificateAuthorities: [{ ...certificateAuthorities[0], validFor: {} }] })).toThrow(
      'since when',
    );
    expect(
      withRoot({
        tlogs: [
          { ...tlogs[0], publicKey: { ...(tlogs[0] as { publicKey: object }).publicKey, validFor: {} } },
        ],
      }),
    ).toThrow('since when');
    expect(withRoot({ certificateAuthorities: [] })).toThrow('no certificate authority');
    expect(withRoot({ tlogs: [] })).toThrow('neither');
    expect(withRoot({ mediaType: 'x' })).toThrow('no trusted root');
    expect(() => readTrustedRoots('{')).toThrow('not JSON');
  });
});

describe('the vectors of sigstore-conformance', () => {
  type Vectors = {
    artifact: string;
    roots: string[];
    vectors: { name: string; bundle: string; root?: number; artifact?: string }[];
  };
  const { artifact, roots, vectors }: Vectors = JSON.parse(
    gunzipSync(readFileSync(new URL('./vectors.json.gz', import.meta.url))).toString(),
  );
  const trustedBy = (root: number | undefined) =>
    root === undefined ? sigstoreRoots() : readTrustedRoots(roots[root] as string);
  /** A vector is of a signed file, or of an attestation of it. */
  const isValid = ({ bundle, root, artifact: own = artifact }: Vectors['vectors'][number]): boolean => {
    try {
      const parsed = bundleFromJSON(JSON.parse(bundle));
      const file = Buffer.from(own, 'base64');
      const { content } = parsed;
      verifySigner(parsed, trustedBy(root), 'messageSignature' in content ? file : undefined);
      const sha256 = createHash('sha256').update(file).digest('hex');
      return !('dsseEnvelope' in content) || content.dsseEnvelope.payload.toString().includes(sha256);
    } catch {
      return false;
    }
  };

  const valid = vectors.filter(isValid);

  it('are accepted and refused as they should be', () => {
    expect(vectors.length).toBeGreaterThan(60);
    expect(valid.map(({ name }) => name)).toEqual(
      vectors.flatMap(({ name }) => (name.endsWith('_fail') ? [] : [name])),
    );
  });

  it('prove no build: those that are valid are signed by another repository than they name, or name none', () => {
    const sha256 = createHash('sha256').update(Buffer.from(artifact, 'base64')).digest('hex');
    const verdicts = valid.map(({ name, bundle, root }) => {
      const verdict = verifyAttestation(bundle, sha256, trustedBy(root));
      return [name, verdict.ok ? 'accepted' : verdict.refusal];
    });
    expect(verdicts.filter(([, refusal]) => refusal !== 'format')).toEqual([
      ['happy-path-intoto-in-dsse-v3', 'identity'],
    ]);
  });
});

const identities: readonly SigstoreIdentity[] = ['test', 'renamed', 'eve'];
describe('another workflow, name or repository', () => {
  it.each(identities)('differs in its claims: %s', (by) => {
    const [own, other] = [verdictOf(attest(SHA256)), verdictOf(attest(SHA256, by))];
    expect(own.ok && other.ok && own.attestation.claims).not.toEqual(other.ok && other.attestation.claims);
  });
});
