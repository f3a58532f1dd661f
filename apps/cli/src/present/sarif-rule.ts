import { type Explanation, explain, isCode } from '@svc/validator';

/** A reportingDescriptor object of SARIF 2.1.0 (§3.49). */
export type SarifRule = {
  id: string;
  shortDescription: { text: string };
  fullDescription: { text: string };
  help: { text: string; markdown: string };
  defaultConfiguration: { level: 'error' | 'warning' };
};

/** What a bundle that no reader should open is refused with; its code is one of the store, not of the table. */
const UNREADABLE = 'Two readers of this file could see two different apps in it, so none should open it.';

/** Longest short description in UTF-16 code units; viewers use it as a title. */
const MAX_TITLE = 200;

/**
 * Text for a message string. Braces would be placeholders (SARIF 2.1.0, §3.11.5), and a manifest must not be able to
 * put a link of its own into the report (§3.11.6).
 */
export const sarifText = (text: string): string =>
  text.replaceAll('{', '{{').replaceAll('}', '}}').replaceAll('](', '] (');

const titleOf = (why: string): string => {
  const [sentence = why] = why.split(/(?<=[.!?])\s/);
  return sentence.slice(0, MAX_TITLE);
};

const helpText = ({ code, message, why }: Explanation): string =>
  `${why}\nFor example: ${message}\nsvc explain ${code} shows it broken and corrected.`;

/** Messages quote pieces of manifests, none of which must become formatting. */
const asCode = (text: string): string => `\`\`${text.replaceAll('`', "'")}\`\``;

const helpMarkdown = ({ code, message, why }: Explanation): string =>
  `${why}\n\nFor example: ${asCode(message)}\n\n\`svc explain ${code}\` shows it broken and corrected.`;

/** Describes a code to those who read the report. */
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
