import type { Review } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { MANIFEST_FILE } from '@svc/contracts/vocabulary';
import { visible } from '@svc/text';
import { Button, Check, Facts, Fault, sizeText } from '@svc/ui';
import { useEffect, useState } from 'react';
import { Card } from '../../account/parts.tsx';
import { useKeys } from '../keys.tsx';
import { picturePath } from '../version-path.ts';
import './files.css';
import type { FileEntry, FileSide, Listing } from './opened.ts';
import { createReader, type Reader } from './reader.ts';
import { Source } from './source.tsx';

type Bundles =
  | { kind: 'loading' }
  | { kind: 'failed'; message: string }
  | { kind: 'open'; reader: Reader; listing: Listing; baseError: string | null };

async function download(path: string): Promise<Uint8Array> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`The store answered ${response.status} to ${path}.`);
  return new Uint8Array(await response.arrayBuffer());
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Downloads the base. A failure is reported, and does not stop the review of the new bundle. */
const downloadBase = (path: string | null) =>
  path === null
    ? Promise.resolve({ base: null, baseError: null })
    : download(path).then(
        (base) => ({ base, baseError: null }),
        (error: unknown) => ({ base: null, baseError: messageOf(error) }),
      );

/**
 * Opens the bundle under review and the published one.
 * @param turn a new number opens them again
 */
function useBundles(nextPath: string, basePath: string | null, turn: number): Bundles {
  const [bundles, setBundles] = useState<Bundles>({ kind: 'loading' });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new turn is a retry
  useEffect(() => {
    const reader = createReader();
    let isOver = false;
    const open = async () => {
      const [next, { base, baseError }] = await Promise.all([download(nextPath), downloadBase(basePath)]);
      const listing = await reader.open(next, base);
      if (!isOver) setBundles({ kind: 'open', reader, listing, baseError });
    };
    setBundles({ kind: 'loading' });
    open().catch((error: unknown) => {
      if (!isOver) setBundles({ kind: 'failed', message: messageOf(error) });
    });
    return () => {
      isOver = true;
      reader.close();
    };
  }, [nextPath, basePath, turn]);
  return bundles;
}

const STATES = { same: '', changed: 'changed', added: 'added', removed: 'removed' } as const;

const SIGNS = { same: ' ', changed: '~', added: '+', removed: '−' } as const;

const bundlePath = (appId: string, version: string): string =>
  apiRequest('GET /api/moderation/apps/:appId/versions/:version/bundle', { params: { appId, version } }).path;

function FileList({
  files,
  open,
  choose,
}: {
  files: readonly FileEntry[];
  open: string | undefined;
  choose(path: string): void;
}) {
  return (
    <ul className="tree" aria-label="Files of the bundle">
      {files.map(({ path, state, next, base }) => {
        const cut = path.lastIndexOf('/') + 1;
        return (
          <li key={path}>
            <Button
              className={state}
              {...(path === open && { 'aria-current': 'true' as const })}
              onClick={() => choose(path)}
            >
              <span className="file-sign" aria-hidden="true">
                {SIGNS[state]}
              </span>
              <span className="path">
                <span className="soft">{visible(path.slice(0, cut))}</span>
                {visible(path.slice(cut))}
              </span>
              <span className="soft">
                {STATES[state]} {sizeText((next ?? base)?.size ?? 0)}
              </span>
            </Button>
          </li>
        );
      })}
    </ul>
  );
}

const sideText = (side: FileSide | null | false) =>
  side && (
    <>
      {sizeText(side.size)}, SHA-256 <code>{side.sha256}</code>
    </>
  );

/** The pictures of both versions that the store serves, shown as images only. */
function Pictures({ file, next, base }: { file: FileEntry; next: string | null; base: string | null }) {
  if (next === null && base === null) return null;
  return (
    <div className="cluster pictures">
      {base === null || file.state === 'same' ? null : (
        <figure>
          <img src={base} alt={`${visible(file.path)}, before`} />
          <figcaption className="soft">before</figcaption>
        </figure>
      )}
      {next === null ? null : (
        <figure>
          <img src={next} alt={`${visible(file.path)}, now`} />
          <figcaption className="soft">now</figcaption>
        </figure>
      )}
    </div>
  );
}

type FileProps = {
  file: FileEntry;
  reader: Reader;
  whole: boolean;
  nextPicture: string | null;
  basePicture: string | null;
};

function FileView({ file, reader, whole, nextPicture, basePicture }: FileProps) {
  return (
    <div className="file">
      <h3>{visible(file.path)}</h3>
      <Facts
        facts={[
          ['before', sideText(file.state !== 'same' && file.base)],
          ['now', sideText(file.next)],
        ]}
      />
      <Pictures file={file} next={nextPicture} base={basePicture} />
      {file.isText ? (
        <Source reader={reader} path={file.path} whole={whole} />
      ) : (
        <p className="soft">Binary file: only its size and hash can be shown.</p>
      )}
    </div>
  );
}

type Opened = Extract<Bundles, { kind: 'open' }>;

/** The file to open first: one with a finding, else the changed manifest, else another changed file. */
function firstOf(files: readonly FileEntry[], issues: Review['issues']): string | undefined {
  const flagged = new Set(issues.map(({ path }) => path));
  const withFinding = files.find(({ path, isText }) => isText && flagged.has(path));
  if (withFinding) return withFinding.path;
  const changed = files.filter(({ state, isText }) => state !== 'same' && isText);
  const candidates = changed.length > 0 ? changed : files;
  return (candidates.find(({ path }) => path === MANIFEST_FILE) ?? candidates[0])?.path;
}

function Browser({
  review,
  baseVersion,
  opened,
}: {
  review: Review;
  baseVersion: string | null;
  opened: Opened;
}) {
  const { reader, listing, baseError } = opened;
  const all = listing.files;
  const changed = all.filter(({ state }) => state !== 'same');
  const [changedOnly, setChangedOnly] = useState(changed.length > 0);
  const [whole, setWhole] = useState(false);
  const [path, setPath] = useState(() => firstOf(all, review.issues));
  const files = changedOnly ? changed : all;
  const file = all.find((entry) => entry.path === path);
  const step = (by: number) => () => {
    const at = files.findIndex((entry) => entry.path === path) + by;
    const target = files[Math.max(0, Math.min(files.length - 1, at))];
    if (target) setPath(target.path);
  };
  useKeys({ j: step(1), k: step(-1), d: () => setWhole(!whole) });
  if (listing.sha256 !== review.sha256)
    return <Fault>The downloaded bundle has another hash than the one on record. Do not decide on it.</Fault>;
  const hasBase = baseVersion !== null && baseError === null;
  const { appId } = review;
  const nextPicture =
    file?.next && review.pictures.includes(file.path) ? picturePath(review, file.path) : null;
  const basePicture =
    file?.base && hasBase && review.pictures.includes(file.path)
      ? picturePath({ appId, version: baseVersion }, file.path)
      : null;
  return (
    <>
      {baseError === null ? null : (
        <Fault>{`The published version could not be loaded for comparison: ${baseError}`}</Fault>
      )}
      <div className="cluster">
        {hasBase ? (
          <>
            <span>{`${changed.length} of ${all.length} files changed`}</span>
            <Check label="Changed files only" checked={changedOnly} choose={setChangedOnly} />
            <Button
              label="Whole file (d)"
              className="quiet"
              aria-pressed={whole}
              onClick={() => setWhole(!whole)}
            />
          </>
        ) : null}
      </div>
      <div className="browser">
        <FileList files={files} open={path} choose={setPath} />
        {file ? (
          <FileView
            file={file}
            reader={reader}
            // An unchanged file has no diff to show.
            whole={whole || file.state === 'same'}
            nextPicture={nextPicture}
            basePicture={basePicture}
          />
        ) : null}
      </div>
    </>
  );
}

/** The files of the bundle, compared with the published one. They are opened in the browser and never run. */
export function Files({ review, baseVersion }: { review: Review; baseVersion: string | null }) {
  const [turn, setTurn] = useState(0);
  const bundle = (version: string) => bundlePath(review.appId, version);
  const bundles = useBundles(bundle(review.version), baseVersion === null ? null : bundle(baseVersion), turn);
  return (
    <Card title="Files">
      {bundles.kind === 'loading' ? <p role="status">Opening the bundle…</p> : null}
      {bundles.kind === 'failed' ? (
        <>
          <Fault>{bundles.message}</Fault>
          <Button label="Retry" onClick={() => setTurn(turn + 1)} />
        </>
      ) : null}
      {bundles.kind === 'open' ? (
        <Browser review={review} baseVersion={baseVersion} opened={bundles} />
      ) : null}
    </Card>
  );
}
