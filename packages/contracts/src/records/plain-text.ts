import { codePointName, hasVisible, hiddenIn } from '@svc/text';
import type { z } from 'zod';

type Refinement = z.core.$RefinementCtx<string>;

function refuse(text: string, context: Refinement, lines: boolean): void {
  const hidden = hiddenIn(text, { lines });
  if (!hidden) return;
  const message = `must not contain invisible characters: remove ${codePointName(hidden.codePoint)} at position ${hidden.index}`;
  context.addIssue({ code: 'custom', message, input: text });
}

/** Refines a string to a single line without invisible characters, for text of users that others read. */
export const refuseHidden = (text: string, context: Refinement): void => refuse(text, context, false);

/** Refines a string to text without invisible characters; line feeds and tabs are allowed. */
export const refuseHiddenInLines = (text: string, context: Refinement): void => refuse(text, context, true);

/** Refines a string to a name: a single line with visible characters. Another check refuses an empty string. */
export function refuseUnreadableName(text: string, context: Refinement): void {
  const hidden = hiddenIn(text) !== null;
  if (hidden) refuse(text, context, false);
  else if (text !== '' && !hasVisible(text))
    context.addIssue({ code: 'custom', message: 'must contain visible characters', input: text });
}
