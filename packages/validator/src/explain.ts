import { exampleIssues } from './example.ts';
import type { Level, Mode, Sample } from './rule.ts';
import { type Code, RULES } from './rules/index.ts';

/** A part of an example: its label, and its text if it has one. */
export type SamplePart = {
  /** Such as "In `plugin.json`"; backticks mark names. */
  readonly label: string;
  readonly text?: string;
  readonly language?: 'json' | 'text';
};

/** The documentation of a code, for a page, a terminal or an editor. */
export type Explanation = {
  readonly code: Code;
  readonly level: Level;
  /** What the level means, as a sentence. */
  readonly levelText: string;
  readonly why: string;
  /** The mode in which the example is checked. */
  readonly mode: Mode;
  /** Path of the finding: a JSON Pointer, the name of an entry, or empty for the whole document. */
  readonly path: string;
  /** Message of the finding in the broken example. */
  readonly message: string;
  readonly broken: readonly SamplePart[];
  readonly fixed: readonly SamplePart[];
};

const LEVEL_TEXT: Record<Level, string> = {
  error: 'Error: the app cannot be published, and a local folder cannot be loaded.',
  warning: 'Warning: the app can be published. Reviewers see the warning.',
  'store-error': 'Error in the store, warning for a local folder.',
};

/** Maximum number of list items in an example; the rest is counted. */
const SHOWN_ITEMS = 12;

/** Whether this is a code of the rule table. */
export function isCode(text: string): text is Code {
  return RULES.some(({ code }) => code === text);
}

/** Explains a code from its entry in the rule table. Runs the checks over its broken example. */
export function explain(code: Code): Explanation {
  const rule = RULES.find((one) => one.code === code);
  if (rule === undefined) throw new Error(`There is no code ${code}.`);
  const { level, why, example } = rule;
  const found = exampleIssues(example, 'broken').find((issue) => issue.code === code);
  return {
    code: rule.code,
    level,
    levelText: LEVEL_TEXT[level],
    why,
    mode: example.mode ?? 'store',
    path: example.path,
    message: found?.message ?? '',
    broken: sampleParts(example.broken),
    fixed: sampleParts(example.fixed),
  };
}

function sampleParts(sample: Sample): SamplePart[] {
  if ('size' in sample) return [{ label: `A bundle of ${sample.size} bytes` }];
  return [
    ...(sample.manifest === undefined ? [] : [manifestPart(sample.manifest)]),
    ...(sample.served === undefined ? [] : [namesPart('Tools of the server', sample.served)]),
    ...(sample.privateHosts === undefined
      ? []
      : [namesPart('Hosts with a private address', sample.privateHosts)]),
    ...Object.entries(sample.files ?? {}).map(([name, content]) => filePart(name, content)),
  ];
}

function manifestPart(patch: NonNullable<Sample['manifest']>): SamplePart {
  const missing = Object.keys(patch).filter((field) => patch[field] === undefined);
  const without =
    missing.length === 0 ? '' : ` without ${missing.map((name) => `\`${name}\``).join(' and ')}`;
  const label = `In \`plugin.json\`${without}`;
  if (missing.length === Object.keys(patch).length) return { label };
  return { label, text: JSON.stringify(shortened(patch), null, 2), language: 'json' };
}

function namesPart(label: string, names: readonly string[]): SamplePart {
  return { label: `${label}: ${names.map((name) => `\`${name}\``).join(', ') || 'none'}` };
}

function filePart(name: string, content: NonNullable<Sample['files']>[string]): SamplePart {
  if (content === undefined) return { label: `No file \`${name}\`` };
  if (typeof content === 'string') return { label: `\`${name}\``, text: content.trimEnd(), language: 'text' };
  const bytes = content instanceof Uint8Array ? content.length : content.bytes;
  return { label: `\`${name}\`, a file of ${bytes} bytes` };
}

/** Cuts long lists, so that an example of "too many" stays readable. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) {
    if (value.length <= SHOWN_ITEMS) return value.map(shortened);
    return [...value.slice(0, 3).map(shortened), `… and ${value.length - 3} more`];
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item)]));
}
