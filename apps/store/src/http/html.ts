import type { html } from 'hono/html';

/** Markup of the template tag of hono, which escapes every value. */
export type Html = ReturnType<typeof html>;
