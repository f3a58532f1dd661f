import type { Review } from '@svc/contracts';
import { MANIFEST_FILE } from '@svc/contracts/vocabulary';
import { visible } from '@svc/text';
import { Button, Check, Facts, Fault, sizeText } from '@svc/ui';
import { useState } from 'react';
import { Card } from '../../account/parts.tsx';
import { useKeys } from '../keys.tsx';
import { picturePath } from '../version-path.ts';
import './files.css';
import type { FileEntry, FileSide } from './opened.ts';
import type { Reader } from './reader.ts';
import { Source } from './source.tsx';
import { type Bundles, bundleFault, changedFiles } from './use-bundles.ts';

const STATES = { same: '', changed: 'changed', added: 'added', removed: 'removed' } as const;

const SIGNS = { same: ' ', changed: '~', added: '+', removed: '−' } as const;

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

type BrowserProps = {
  review: Review;
  baseVersion: string | null;
  opened: Opened;
  /** Shows the files, where a key asks for one. */
  show(): void;
};

function Browser({ review, baseVersion, opened, show }: BrowserProps) {
  const { reader, listing, baseError } = opened;
  const all = listing.files;
  const changed = all.filter(({ state }) => state !== 'same');
  const [changedOnly, setChangedOnly] = useState(changed.length > 0);
  const [whole, setWhole] = useState(false);
  const [path, setPath] = useState(() => firstOf(all, review.issues));
  const files = changedOnly ? changed : all;
  const file = all.find((entry) => entry.path === path);
  const step = (by: number) => () => {
    show();
    const at = files.findIndex((entry) => entry.path === path) + by;
    const target = files[Math.max(0, Math.min(files.length - 1, at))];
    if (target) setPath(target.path);
  };
  const turn = () => {
    show();
    setWhole(!whole);
  };
  useKeys({ j: step(1), k: step(-1), d: turn });
  const hasBase = changedFiles(opened, baseVersion) !== null;
  const pictureOf = (version: string | null, side: FileSide | null | undefined) =>
    version !== null && side && file && review.pictures.includes(file.path)
      ? picturePath({ appId: review.appId, version }, file.path)
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
            <Button label="Whole file (d)" className="quiet" aria-pressed={whole} onClick={turn} />
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
            nextPicture={pictureOf(review.version, file.next)}
            basePicture={pictureOf(hasBase ? baseVersion : null, file.base)}
          />
        ) : null}
      </div>
    </>
  );
}

type FilesProps = Omit<BrowserProps, 'opened'> & { bundles: Bundles; retry(): void };

/** The files of the bundle, compared with the published one. They are opened in the browser and never run. */
export function Files({ bundles, retry, ...shown }: FilesProps) {
  const fault = bundleFault(shown.review, bundles);
  return (
    <Card title="Files">
      {bundles.kind === 'loading' ? <p role="status">Opening the bundle…</p> : null}
      {bundles.kind === 'failed' ? (
        <>
          <Fault>{bundles.message}</Fault>
          <Button label="Retry" onClick={retry} />
        </>
      ) : null}
      {fault === null ? null : <Fault>{fault}</Fault>}
      {bundles.kind === 'open' && fault === null ? <Browser {...shown} opened={bundles} /> : null}
    </Card>
  );
}
