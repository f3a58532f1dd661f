import { codePointName, hiddenIn } from '@svc/text';
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
