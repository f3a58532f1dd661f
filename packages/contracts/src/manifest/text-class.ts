import { z } from 'zod';

/**
 * What a string may contain. `line`: visible characters on a single line. `text`: line feeds and tabs too, for descriptions and
 * Markdown. `format`: the rule of the field already excludes invisible characters. `unshown`: the string is never shown.
 */
export type TextClass = 'line' | 'text' | 'format' | 'unshown';

/** The classes of the strings of the manifest that are not `line`. An enum or a literal is `format` without an entry. */
export const TEXT_CLASS = z.registry<{ text: TextClass }>();
