import { type Issue, LIMITS } from '@svc/contracts';
import { visible } from '@svc/text';
import { count, sizeText } from '@svc/ui/text';
import type { ReactNode } from 'react';
import { StoreLink } from '../extensions/store-link.tsx';
import type { Report } from './check-file.ts';
import type { Frame } from './frames.ts';

/** Maximum number of findings, and of files, on the page. */
const MAX_LISTED = 300;

/**
 * The result of checking one file: a summary, the findings and the files in the bundle.
 * @param next what the user can do with a bundle without errors
 */
export function ReportView({ report, next }: { report: Report; next?: ReactNode }) {
  const { name, issues, frames, files } = report;
  const errors = issues.filter(({ level }) => level === 'error').length;
  const warnings = issues.length - errors;
  return (
    <article className="card report">
      <h2>{visible(name)}</h2>
      <p className={errors > 0 ? 'sum bad' : 'sum good'}>
        {errors === 0 && warnings === 0
          ? 'No problems found'
          : `${count(errors, 'error')}, ${count(warnings, 'warning')}`}
      </p>
      {report.kind === 'bundle' && <SizeBar bytes={report.size} />}
      {errors === 0 && report.kind === 'bundle' ? next : null}
      <Findings issues={issues} frames={frames} />
      {files.length > 0 && <Contents files={files} />}
    </article>
  );
}

/** Findings, each with the lines of `plugin.json` that it is about, if known. */
export function Findings({
  issues,
  frames,
}: {
  issues: readonly Issue[];
  frames?: ReadonlyMap<string, Frame>;
}) {
  return (
    <>
      <ul className="findings">
        {issues.slice(0, MAX_LISTED).map((issue, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole.
          <Finding key={i} issue={issue} frame={frames?.get(issue.path)} />
        ))}
      </ul>
      <More listed={issues.length} noun="finding" />
    </>
  );
}

function Finding({
  issue: { level, code, path, message },
  frame,
}: {
  issue: Issue;
  frame: Frame | undefined;
}) {
  return (
    <li className={level}>
      <p className="cluster">
        <span className="level">{level}</span>{' '}
        {code === 'invalid_bundle' ? (
          <code>{code}</code>
        ) : (
          <StoreLink href={`/docs/codes/${code}`}>
            <code>{code}</code>
          </StoreLink>
        )}
        {path !== '' && <code className="path">{visible(path)}</code>}
      </p>
      <p>{visible(message)}</p>
      {frame && <Source frame={frame} />}
    </li>
  );
}

/** The lines around a finding, with its location marked. */
function Source({ frame: { lines, line, start, length } }: { frame: Frame }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <pre tabIndex={0}>
      {lines.map(({ number, text }) => (
        <code key={number} className={number === line ? 'here' : undefined}>
          <span className="number">{number}</span>
          {number === line ? (
            <>
              {visible(text.slice(0, start))}
              <mark>{visible(text.slice(start, start + length)) || ' '}</mark>
              {visible(text.slice(start + length))}
            </>
          ) : (
            visible(text)
          )}
          {'\n'}
        </code>
      ))}
    </pre>
  );
}

function SizeBar({ bytes }: { bytes: number }) {
  const max = LIMITS.bundle.bytes;
  return (
    <p className="size">
      <meter
        value={Math.min(bytes, max)}
        max={max}
        high={max * 0.8}
        optimum={0}
        aria-label="Size of the bundle"
      />{' '}
      {sizeText(bytes)} of {sizeText(max)}
    </p>
  );
}

function Contents({ files }: { files: Report['files'] }) {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  return (
    <details>
      <summary>
        {count(files.length, 'file')}, {sizeText(total)} unpacked
      </summary>
      <ul className="rows files">
        {files.slice(0, MAX_LISTED).map(({ name, size }) => (
          <li key={name}>
            <code>{visible(name)}</code> <span className="soft">{sizeText(size)}</span>
          </li>
        ))}
      </ul>
      <More listed={files.length} noun="file" />
    </details>
  );
}

function More({ listed, noun }: { listed: number; noun: string }) {
  return listed > MAX_LISTED ? <p>And {count(listed - MAX_LISTED, `more ${noun}`)}.</p> : null;
}
