import { type Example, exampleIssues, type Level, RULES, type Sample } from '@svc/validator';

const FOLDER = 'docs/codes';

const LEVEL_TEXT: Record<Level, string> = {
  error: 'Error: the app cannot be published, and a local folder cannot be loaded.',
  warning: 'Warning: the app can be published; reviewers see it.',
  'store-error': 'Error in the store, warning for a local folder.',
};

const LEVEL_WORDS: Record<Level, string> = {
  error: 'error',
  warning: 'warning',
  'store-error': 'error in the store, warning in dev',
};

/** Items of a list that a page shows before it says how many more there are. */
const SHOWN_ITEMS = 12;

type Entry = (typeof RULES)[number];

/**
 * The pages about the validation codes, one each and an index, and the frozen list of codes for other implementations;
 * all from the rule table. Repository path -> content; writes nothing.
 */
export async function generateCodes(): Promise<Map<string, string>> {
  const rules = RULES.toSorted((one, other) => (one.code < other.code ? -1 : 1));
  return new Map([
    [`${FOLDER}/README.md`, indexPage(rules)],
    ...rules.map((rule) => [`${FOLDER}/${rule.code}.md`, codePage(rule)] as const),
    [
      'interop/codes.json',
      `[\n${rules.map(({ code, level }) => `  ${JSON.stringify({ code, level })}`).join(',\n')}\n]\n`,
    ],
  ]);
}

function indexPage(rules: readonly Entry[]): string {
  const rows = rules.map(
    (rule) => `| [\`${rule.code}\`](${rule.code}.md) | ${LEVEL_WORDS[rule.level]} | ${cell(rule.why)} |`,
  );
  return [
    '# Validation codes',
    '',
    `What the validator can find in a manifest or a bundle: ${rules.length} codes. Each keeps its name and meaning for ever.`,
    '',
    'Generated from the rule table in `packages/validator/src/rules`; `npm run gen` writes it anew.',
    '',
    '| Code | Level | Why |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function codePage(rule: Entry): string {
  const [found] = exampleIssues(rule.example, 'broken').filter((issue) => issue.code === rule.code);
  if (found === undefined) throw new Error(`the example of ${rule.code} does not show it`);
  const { path } = rule.example;
  return [
    `# \`${rule.code}\``,
    '',
    LEVEL_TEXT[rule.level],
    '',
    rule.why,
    '',
    '## Broken',
    '',
    ...sampleText(rule.example.broken),
    '',
    `At ${path === '' ? 'the top' : `\`${path}\``}${modeText(rule.example)}:`,
    '',
    `> ${found.message}`,
    '',
    '## Corrected',
    '',
    ...sampleText(rule.example.fixed),
    '',
  ].join('\n');
}

function modeText({ mode }: Example): string {
  return mode === 'dev' ? ', when checked as a local folder' : '';
}

function sampleText(sample: Sample): string[] {
  if ('size' in sample) return [`A bundle of ${sample.size} bytes.`];
  const parts = [
    ...(sample.manifest === undefined ? [] : manifestText(sample.manifest)),
    ...Object.entries(sample.files ?? {}).map(([name, content]) => fileText(name, content)),
  ];
  return [parts.join('\n\n')];
}

function manifestText(patch: NonNullable<Sample['manifest']>): string[] {
  const missing = Object.keys(patch).filter((field) => patch[field] === undefined);
  const without =
    missing.length === 0 ? '' : ` without ${missing.map((name) => `\`${name}\``).join(' and ')}`;
  if (missing.length === Object.keys(patch).length) return [`In \`plugin.json\`${without}.`];
  return [`In \`plugin.json\`${without}:`, fenced('json', JSON.stringify(shortened(patch), null, 2))];
}

function fileText(name: string, content: NonNullable<Sample['files']>[string]): string {
  if (content === undefined) return `No file \`${name}\`.`;
  if (typeof content === 'string') return `\`${name}\`:\n\n${fenced('', content.trimEnd())}`;
  const bytes = content instanceof Uint8Array ? content.length : content.bytes;
  return `\`${name}\`: a file of ${bytes} bytes.`;
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** The value with its long lists cut, so that a page about "too many" stays readable. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.slice(0, SHOWN_ITEMS).map(shortened);
    const more = value.length - SHOWN_ITEMS;
    return more > 0 ? [...items.slice(0, 3), `… and ${value.length - 3} more`] : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item)]));
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
