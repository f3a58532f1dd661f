import { escapeText } from '@svc/text';
import { type EncodedPage, encodePage } from '../../http/encoded-page.ts';
import { publicFor } from '../../http/send.ts';

/** How long these files may be cached, in seconds. */
export const FILE_SECONDS = 300;

/** A text as a file that may be cached. */
export const file = (type: string, text: string): EncodedPage =>
  encodePage(Buffer.from(text), { 'Content-Type': type, 'Cache-Control': publicFor(FILE_SECONDS) });

/** Escapes text for XML. */
export const xml = (text: string): string => escapeText(text, 'html');
