/**
 * The security headers of a page: nothing inline, nothing from other origins, and no framing.
 * @param policy further directives of its content security policy
 * @param referrer the Referrer-Policy
 * @param scripts whether scripts of the store run; not when the URL of the page contains a secret
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
