import { type Explanation, explain, isCode } from '@svc/validator';

/** A reportingDescriptor object of SARIF 2.1.0 (§3.49). */
export type SarifRule = {
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
export const sarifText = (text: string): string =>
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

/** The rule object of a code. */
export function sarifRule(code: string): SarifRule {
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
