import { type Explanation, explain, type Level, RULES, type SamplePart } from '@svc/validator';

const FOLDER = 'docs/codes';

const LEVEL_WORDS: Record<Level, string> = {
  error: 'error',
  warning: 'warning',
  'store-error': 'error in the store, warning in dev',
};

/**
 * Generates the pages of the validation codes, their index, and the frozen list of codes for other implementations, from the rule
 * table.
 */
export async function generateCodes(): Promise<Map<string, string>> {
  const all = RULES.map(({ code }) => explain(code));
  const pages = all.toSorted((one, other) => (one.code < other.code ? -1 : 1));
  return new Map([
    [`${FOLDER}/README.md`, indexPage(pages)],
    ...pages.map((page) => [`${FOLDER}/${page.code}.md`, codePage(page)] as const),
    [
      'interop/codes.json',
      `[\n${pages.map(({ code, level }) => `  ${JSON.stringify({ code, level })}`).join(',\n')}\n]\n`,
    ],
  ]);
}

function indexPage(pages: readonly Explanation[]): string {
  const rows = pages.map(
    ({ code, level, why }) => `| [\`${code}\`](${code}.md) | ${LEVEL_WORDS[level]} | ${cell(why)} |`,
  );
  return [
    '# Validation codes',
    '',
    `What the validator can find in a manifest or a bundle: ${pages.length} codes. Codes are stable: each keeps its name and meaning.`,
    '',
    'Generated from the rule table in `packages/validator/src/rules` by `npm run gen`.',
    '',
    '| Code | Level | Why |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function codePage({ code, levelText, why, broken, fixed, path, mode, message }: Explanation): string {
  const place = path === '' ? 'the top' : `\`${path}\``;
  const when = mode === 'dev' ? ', when checked as a local folder' : '';
  return [
    `# \`${code}\``,
    '',
    levelText,
    '',
    why,
    '',
    '## Broken',
    '',
    broken.map(partText).join('\n\n'),
    '',
    `At ${place}${when}:`,
    '',
    `> ${message}`,
    '',
    '## Corrected',
    '',
    fixed.map(partText).join('\n\n'),
    '',
  ].join('\n');
}

function partText({ label, text, language }: SamplePart): string {
  if (text === undefined) return `${label}.`;
  return `${label}:\n\n\`\`\`${language === 'json' ? 'json' : ''}\n${text}\n\`\`\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
