import { codePointName, hasVisible, hiddenIn } from '@svc/text';
import type { z } from 'zod';

type Refinement = z.core.$RefinementCtx<string>;

function refuse(text: string, context: Refinement, lines: boolean): void {
  const hidden = hiddenIn(text, { lines });
  if (!hidden) return;
  const message = `must not have characters that cannot be seen: ${codePointName(hidden.codePoint)} at position ${hidden.index}`;
  context.addIssue({ code: 'custom', message, input: text });
}

/** Refines a string to one line in which a reader sees every character: what people type and others read. */
export const refuseHidden = (text: string, context: Refinement): void => refuse(text, context, false);

/** The same for a text that may have line feeds and tabs. */
export const refuseHiddenInLines = (text: string, context: Refinement): void => refuse(text, context, true);

/** Refines a string to a name: one line, with something in it that can be seen. What is empty another check refuses. */
export function refuseUnreadableName(text: string, context: Refinement): void {
  const hidden = hiddenIn(text) !== null;
  if (hidden) refuse(text, context, false);
  else if (text !== '' && !hasVisible(text))
    context.addIssue({ code: 'custom', message: 'must have characters that can be seen', input: text });
}
