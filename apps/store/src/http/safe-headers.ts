/**
 * The headers that keep a page to what it is: nothing inline, nothing from elsewhere, in nobody's frame.
 * @param policy what it may do beside showing itself, as directives of its content security policy
 * @param referrer what links and forms of it say of where they stood (Referrer-Policy)
 * @param scripts whether those of the store run; not where the address of the page holds a secret
 */
export const safeHeaders = (
  policy: readonly string[],
  referrer: string,
  scripts: 'scripts' | 'no-scripts' = 'scripts',
): Record<string, string> => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    ...(scripts === 'scripts' ? ["script-src 'self'"] : []),
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
