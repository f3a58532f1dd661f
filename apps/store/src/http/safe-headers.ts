/**
 * The headers that keep a page to what it is: nothing inline, nothing from elsewhere, in nobody's frame.
 * @param policy what it may do beside showing itself, as directives of its content security policy
 * @param referrer what links and forms of it say of where they stood (Referrer-Policy)
 */
export const safeHeaders = (policy: readonly string[], referrer: string): Record<string, string> => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    ...policy,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': referrer,
});
