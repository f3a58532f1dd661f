/** Forbids everything to a picture that is opened as a page: an SVG is a document, and may contain a script. */
const PICTURE_CSP = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** The security headers of an untrusted picture. */
export const pictureHeaders = (type: string): Record<string, string> => ({
  'Content-Type': type,
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': PICTURE_CSP,
});
