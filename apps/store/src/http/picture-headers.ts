/** What a picture may do when a person opens it as a page: nothing. An SVG is a document, and may hold a script. */
const PICTURE_CSP = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** The headers that keep a picture of a stranger to being one. */
export const pictureHeaders = (type: string): Record<string, string> => ({
  'Content-Type': type,
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': PICTURE_CSP,
});
