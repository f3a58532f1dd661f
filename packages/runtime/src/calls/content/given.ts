import type { ContentBlock } from '@modelcontextprotocol/client';
import { isObject } from '@svc/contracts/is-object';
import { cleanValue } from '@svc/text';
import type { Secrets } from '../secrets.ts';

/**
 * What the server of a connector says of a part or an entry beside its text and bytes (type, URI, titles, annotations, icons, `_meta`), for
 * clients that pass it on to agents. Its texts are clean; it contains no tokens, and no icon but of https and data URLs.
 */
export type Given = Readonly<Record<string, unknown>>;

/** Longest of an entry, in characters of JSON. A longer one is left out. */
const MAX_GIVEN = 16 * 1024;
/** Its deepest part, in levels, and longest text. */
const MAX_DEPTH = 16;
const MAX_TEXT = 4_096;

const isShownIcon = (icon: unknown): boolean =>
  isObject(icon) && typeof icon.src === 'string' && /^(?:https:|data:image\/)/i.test(icon.src);

const AS_IS: Pick<Secrets, 'strip'> = { strip: (value) => value };

/** What is given beside the fields that a client reads itself. */
export function givenOf(
  part: object,
  secrets: Pick<Secrets, 'strip'> = AS_IS,
  ...others: readonly string[]
): Given {
  const { icons, ...rest } = part as Record<string, unknown>;
  const kept = Object.entries(rest).filter(([name, value]) => value !== undefined && !others.includes(name));
  const shown = Array.isArray(icons) ? icons.filter(isShownIcon) : [];
  const whole = { ...Object.fromEntries(kept), ...(shown.length > 0 && { icons: shown }) };
  const given = secrets.strip(cleanValue(whole, { maxDepth: MAX_DEPTH, maxText: MAX_TEXT }) as Given);
  return JSON.stringify(given).length > MAX_GIVEN ? {} : given;
}

/** The same of a content block, and of the resource in it, as the field `given` of a part; nothing for plain text. */
export function givenBlock(block: ContentBlock, secrets: Secrets): { given?: Given } {
  const given = givenOf(block, secrets, 'text', 'data', 'resource');
  if (block.type === 'resource')
    return { given: { ...given, resource: givenOf(block.resource, secrets, 'text', 'blob') } };
  return block.type === 'text' && Object.keys(given).length === 1 ? {} : { given };
}
