import { createHash } from 'node:crypto';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Issue } from '@svc/contracts';
import { MANIFEST_FILE } from '@svc/contracts/vocabulary';
import { type Explanation, explain, isCode } from '@svc/validator';
import type { CheckedApp } from '../check-app.ts';
import { isAboutManifest, type ManifestSource, readSource } from '../manifest-file/source.ts';

/** A reportingDescriptor object of SARIF 2.1.0 (§3.49). */
type SarifRule = {
  id: string;
  shortDescription: { text: string };
  fullDescription: { text: string };
  help: { text: string; markdown: string };
  defaultConfiguration: { level: 'error' | 'warning' };
};

/** The explanation of `invalid_bundle`, which is an error code of the store and not in the table of checks. */
const UNREADABLE = 'Two zip readers could see different contents in this file, so it is refused.';

/** Maximum length of a short description in UTF-16 code units; viewers use it as a title. */
const MAX_TITLE = 200;

/**
 * Escapes text for a message string. Braces would be placeholders (SARIF 2.1.0, §3.11.5), and a manifest must not be able to add a
 * link to the report (§3.11.6).
 */
const sarifText = (text: string): string =>
  text.replaceAll('{', '{{').replaceAll('}', '}}').replaceAll('](', '] (');

const titleOf = (why: string): string => {
  const [sentence = why] = why.split(/(?<=[.!?])\s/);
  return sentence.slice(0, MAX_TITLE);
};

const helpText = ({ code, message, why }: Explanation): string =>
  `${why}\nFor example: ${message}\nRun svc explain ${code} for an example and its fix.`;

/** Messages quote parts of manifests, which must not become formatting. */
const asCode = (text: string): string => `\`\`${text.replaceAll('`', "'")}\`\``;

const helpMarkdown = ({ code, message, why }: Explanation): string =>
  `${why}\n\nFor example: ${asCode(message)}\n\nRun \`svc explain ${code}\` for an example and its fix.`;

function sarifRule(code: string): SarifRule {
  const page = isCode(code) ? explain(code) : undefined;
  const why = page?.why ?? UNREADABLE;
  return {
    id: code,
    shortDescription: { text: sarifText(titleOf(why)) },
    fullDescription: { text: sarifText(why) },
    help: page
      ? { text: sarifText(helpText(page)), markdown: sarifText(helpMarkdown(page)) }
      : { text: UNREADABLE, markdown: UNREADABLE },
    defaultConfiguration: { level: page?.level === 'warning' ? 'warning' : 'error' },
  };
}

/** The result for one PATH. */
export type SarifSubject = {
  /** The PATH as the user wrote it. */
  shown: string;
  /** The files of a folder are separate artifacts; those of a bundle are parts of it. */
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

/** Maximum number of results that GitHub shows; it would select from more. */
const MAX_RESULTS = 5_000;

type Finding = { subject: SarifSubject; issue: Issue };

/** The entry of the bundle that an issue is about; empty for the bundle as a whole. */
const entryOf = (issue: Issue): string => (isAboutManifest(issue) ? MANIFEST_FILE : issue.path);

/** The file on disk that an issue is about, as an absolute path. */
function artifactOf(cwd: string, { shown, kind }: SarifSubject, issue: Issue): string {
  const full = path.resolve(cwd, shown);
  // A folder is not an artifact: findings about the whole folder are reported on its manifest.
  return kind === 'folder' ? path.join(full, entryOf(issue) || MANIFEST_FILE) : full;
}

/** A location relative to the current folder, which is taken as the source root (§3.4.4). */
function artifactLocation(cwd: string, file: string): { uri: string; uriBaseId?: string } {
  const relative = path.relative(cwd, file);
  if (relative.startsWith('..') || path.isAbsolute(relative)) return { uri: pathToFileURL(file).href };
  const uri = relative
    .split(path.sep)
    .map((step) => encodeURIComponent(step.toWellFormed()))
    .join('/');
  return { uri: uri || '.', uriBaseId: '%SRCROOT%' };
}

/** The region of a finding. GitHub requires one, so the default is the first line. */
function regionOf(manifest: ManifestSource | undefined, issue: Issue) {
  const place = manifest?.placeOf(issue);
  if (place === undefined) return { startLine: 1 };
  const { line: startLine, column: startColumn, length = 1 } = place;
  const lineEnd = (manifest?.lines[startLine - 1] ?? '').length + 1;
  // For a value of several lines, the first line is marked. A region whose end is its start is an insertion point (§3.30.2).
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
 * Fingerprints that stay the same when lines move: hashes of code, file and JSON Pointer. Call it once per result, in order: the
 * number distinguishes equal hashes. GitHub reads the field `primaryLocationLineHash`.
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

function resultsOf(cwd: string, findings: readonly Finding[], rules: readonly SarifRule[]): object[] {
  const indices = new Map(rules.map(({ id }, index) => [id, index]));
  const sources = new Map<SarifSubject, ManifestSource | undefined>();
  const fingerprint = fingerprinter();
  return findings.map(({ subject, issue }) => {
    const { source } = subject.checked;
    if (!sources.has(subject)) sources.set(subject, source && readSource(source));
    const location = artifactLocation(cwd, artifactOf(cwd, subject, issue));
    // Line numbers of a manifest inside a zip do not apply to the zip.
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

/** Limits the findings, keeping their order: errors take precedence over warnings. */
function limitFindings(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length <= MAX_RESULTS) return findings;
  const errors = findings.filter(({ issue }) => issue.level === 'error').slice(0, MAX_RESULTS);
  const warnings = findings.filter(({ issue }) => issue.level === 'warning');
  const chosen = new Set([...errors, ...warnings.slice(0, MAX_RESULTS - errors.length)]);
  return findings.filter((finding) => chosen.has(finding));
}

const notification = (level: 'error' | 'warning', text: string) => ({
  level,
  message: { text: sarifText(text) },
});

/** Creates a SARIF 2.1.0 document (OASIS Standard, with Errata 01) for all PATHs. */
export function sarifDocument({ cwd, version, subjects, unreadable }: SarifInput): object {
  const all = subjects.flatMap((subject) => subject.checked.issues.map((issue) => ({ subject, issue })));
  const findings = limitFindings(all);
  const rules = [...new Set(findings.map(({ issue }) => issue.code))].map(sarifRule);
  const missing = all.length - findings.length;
  const notifications = [
    ...unreadable.map((message) => notification('error', message)),
    ...(missing > 0 ? [notification('warning', `${missing} more findings were omitted.`)] : []),
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
        results: resultsOf(cwd, findings, rules),
      },
    ],
  };
}
