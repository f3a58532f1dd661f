import type { html } from 'hono/html';

/** Markup made with the template tag of hono, which escapes whatever is put into it. */
export type Html = ReturnType<typeof html>;
