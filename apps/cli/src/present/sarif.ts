import { createHash } from 'node:crypto';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Issue } from '@svc/contracts';
import { MANIFEST_FILE } from '@svc/contracts/vocabulary';
import type { CheckedApp } from '../check-app.ts';
import { isAboutManifest, type ManifestSource, readSource } from '../manifest-file/source.ts';
import { type SarifRule, sarifRule, sarifText } from './sarif-rule.ts';

/** What was found in one PATH. */
export type SarifSubject = {
  /** The PATH as the user wrote it. */
  shown: string;
  /** What it is. The files of a folder are files of their own; those of a bundle are parts of it. */
  kind: 'manifest' | 'folder' | 'bundle';
  checked: CheckedApp;
};

export type SarifInput = {
  cwd: string;
  /** Version of this program. */
  version: string;
  subjects: readonly SarifSubject[];
  /** Why some PATHs could not be read. */
  unreadable: readonly string[];
};

/** Results that GitHub shows; it would choose by itself from more. */
const MAX_RESULTS = 5_000;

type Found = { subject: SarifSubject; issue: Issue };

/** The entry of the bundle that an issue is about; empty for the bundle as a whole. */
const entryOf = (issue: Issue): string => (isAboutManifest(issue) ? MANIFEST_FILE : issue.path);

/** The file on disk that an issue is about, as an absolute path. */
function artifactOf(cwd: string, { shown, kind }: SarifSubject, issue: Issue): string {
  const full = path.resolve(cwd, shown);
  // A folder is no artifact; what is wrong with the whole of it is put down to its manifest.
  return kind === 'folder' ? path.join(full, entryOf(issue) || MANIFEST_FILE) : full;
}

/** Relative to the folder of the call, which is the root of the sources for a caller who runs this in one (§3.4.4). */
function artifactLocation(cwd: string, file: string): { uri: string; uriBaseId?: string } {
  const relative = path.relative(cwd, file);
  if (relative.startsWith('..') || path.isAbsolute(relative)) return { uri: pathToFileURL(file).href };
  const uri = relative
    .split(path.sep)
    .map((step) => encodeURIComponent(step.toWellFormed()))
    .join('/');
  return { uri: uri || '.', uriBaseId: '%SRCROOT%' };
}

/** Always there, as GitHub asks for one: the first line where there is no closer place. */
function regionOf(manifest: ManifestSource | undefined, issue: Issue) {
  const place = manifest?.placeOf(issue);
  if (place === undefined) return { startLine: 1 };
  const { line: startLine, column: startColumn, length = 1 } = place;
  const lineEnd = (manifest?.lines[startLine - 1] ?? '').length + 1;
  // Of a value of many lines the first is marked. A region with its end at its start is a gap between characters (§3.30.2).
  return {
    startLine,
    startColumn,
    endColumn: Math.max(startColumn, Math.min(startColumn + length, lineEnd)),
  };
}

function logicalLocations({ kind }: SarifSubject, issue: Issue): object[] {
  const entry = entryOf(issue);
  return [
    ...(kind === 'bundle' && entry !== '' ? [{ fullyQualifiedName: entry, kind: 'resource' }] : []),
    ...(issue.path.startsWith('/') ? [{ fullyQualifiedName: issue.path, kind: 'value' }] : []),
  ];
}

/**
 * What makes a finding the same one in the next run, wherever its line has moved: code, file and place in the document.
 * Called once per result, in order; the number tells equal ones apart. The name is the one that GitHub looks at.
 */
function fingerprinter(): (uri: string, issue: Issue) => { primaryLocationLineHash: string } {
  const seen = new Map<string, number>();
  return (uri, { code, path: place }) => {
    const hash = createHash('sha256')
      .update(JSON.stringify([code, uri, place]))
      .digest('hex')
      .slice(0, 32);
    const number = (seen.get(hash) ?? 0) + 1;
    seen.set(hash, number);
    return { primaryLocationLineHash: `${hash}:${number}` };
  };
}

function resultsOf(cwd: string, found: readonly Found[], rules: readonly SarifRule[]): object[] {
  const indices = new Map(rules.map(({ id }, index) => [id, index]));
  const sources = new Map<SarifSubject, ManifestSource | undefined>();
  const fingerprint = fingerprinter();
  return found.map(({ subject, issue }) => {
    const { source } = subject.checked;
    if (!sources.has(subject)) sources.set(subject, source && readSource(source));
    const location = artifactLocation(cwd, artifactOf(cwd, subject, issue));
    // Lines of a manifest inside a zip are no lines of the zip.
    const manifest = subject.kind === 'bundle' ? undefined : sources.get(subject);
    return {
      ruleId: issue.code,
      ruleIndex: indices.get(issue.code),
      level: issue.level,
      message: { text: sarifText(issue.message) },
      locations: [
        {
          physicalLocation: { artifactLocation: location, region: regionOf(manifest, issue) },
          logicalLocations: logicalLocations(subject, issue),
        },
      ],
      partialFingerprints: fingerprint(location.uri, issue),
    };
  });
}

/** The findings that are reported, in their order: when there are too many, errors before warnings. */
function choose(found: readonly Found[]): readonly Found[] {
  if (found.length <= MAX_RESULTS) return found;
  const errors = found.filter(({ issue }) => issue.level === 'error').slice(0, MAX_RESULTS);
  const warnings = found.filter(({ issue }) => issue.level === 'warning');
  const chosen = new Set([...errors, ...warnings.slice(0, MAX_RESULTS - errors.length)]);
  return found.filter((one) => chosen.has(one));
}

const notification = (level: 'error' | 'warning', text: string) => ({
  level,
  message: { text: sarifText(text) },
});

/** A SARIF 2.1.0 document (OASIS Standard, with Errata 01) on all that was checked. */
export function sarifDocument({ cwd, version, subjects, unreadable }: SarifInput): object {
  const all = subjects.flatMap((subject) => subject.checked.issues.map((issue) => ({ subject, issue })));
  const found = choose(all);
  const rules = [...new Set(found.map(({ issue }) => issue.code))].map(sarifRule);
  const missing = all.length - found.length;
  const notifications = [
    ...unreadable.map((message) => notification('error', message)),
    ...(missing > 0 ? [notification('warning', `${missing} further findings were left out.`)] : []),
  ];
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'svc', version, semanticVersion: version, rules } },
        columnKind: 'utf16CodeUnits',
        invocations: [
          { executionSuccessful: unreadable.length === 0, toolExecutionNotifications: notifications },
        ],
        results: resultsOf(cwd, found, rules),
      },
    ],
  };
}
