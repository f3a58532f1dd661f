import type { VersionAttestation, VersionSource } from '@svc/contracts';
import { sourceName } from '@svc/contracts/vocabulary';
import type { FactList } from '@svc/ui';

type Jobs = { source: VersionSource | null; attestation: VersionAttestation | null };

const ROWS = [
  ['attestation', 'Built by'],
  ['source', 'Uploaded by'],
] as const;

/** The CI jobs that built and that uploaded a version. */
export const originsOf = (version: Jobs): FactList =>
  ROWS.map(([key, label]) => {
    const job = version[key];
    return [
      label,
      job && (
        <>
          <bdi>{sourceName(job)}</bdi> {job.commit === null ? null : <code>{job.commit}</code>}{' '}
          {'run' in job && job.run !== null ? (
            <a href={job.run} rel="noreferrer">
              the job
            </a>
          ) : null}
        </>
      ),
    ];
  });

/** Where the two versions of a comparison come from, when that is not the same. */
export function OtherOrigins({ before, after }: { before: Jobs; after: Jobs }) {
  return ROWS.map(([key, label]) => {
    const [was, is] = [before[key], after[key]].map((job) =>
      job === null ? 'no CI workflow' : sourceName(job),
    );
    return was === is ? null : (
      <p className="callout" key={key}>
        {label}: <del dir="auto">{was}</del> → <ins dir="auto">{is}</ins>
      </p>
    );
  });
}
